import { deviceFilters, formatFilter, lowBatteryPercent } from '@hilltop/contract';
import { query } from '../../api/queries.ts';
import type { CountButton, ListFilters } from '../../components/filters/list-filters.ts';
import { devicesWith } from '../../components/filters/list-links.ts';
import { mostSampled, tagKeysOf } from '../../components/filters/tag-keys.ts';

/** The devices of an application, of an organization, or of all organizations. */
export interface DeviceScope {
  /** Empty for all organizations. */
  organizationID: string;
  /** Empty for all applications. */
  applicationID: string;
}

type State = keyof typeof deviceFilters.state.choices;

const ofState = (name: State): CountButton => ({
  name,
  word: deviceFilters.state.choices[name],
  ...devicesWith('state', name),
});

const buttons: readonly CountButton[] = [
  { name: 'all', word: 'All' },
  ofState('active'),
  ofState('inactive'),
  ofState('neverSeen'),
  ofState('disabled'),
  ofState('joinRefused'),
  {
    name: 'lowBattery',
    word: 'Low battery',
    filter: formatFilter({ field: 'battery', operator: 'lt', values: [String(lowBatteryPercent)] }),
  },
  { name: 'codecErrors', word: 'Codec errors', filter: formatFilter({ field: 'errors', operator: 'set' }) },
];

/** What the request of a list of devices says about its scope. */
export const requestOf = ({ organizationID, applicationID }: DeviceScope) =>
  applicationID !== '' ? { applicationID } : organizationID !== '' ? { organizationID } : {};

const { application: _, ...withinApplication } = deviceFilters;
const named = { limit: 1000, offset: 0 };

/** How a list of devices is filtered. */
export function deviceFiltersOf(scope: DeviceScope): ListFilters {
  const { organizationID, applicationID } = scope;
  const owner = { organizationID: organizationID || '0' };
  return {
    noun: 'devices',
    fields: applicationID === '' ? deviceFilters : withinApplication,
    objects: {
      application: query('application', 'list', { ...owner, ...named }),
      deviceProfile: query('deviceProfile', 'list', { ...owner, ...named }),
    },
    tagKeys: tagKeysOf(
      query('device', 'list', { ...requestOf(scope), limit: mostSampled, offset: 0, include: ['tags'] }),
    ),
    counts: { buttons },
  };
}
