import { deviceCounts, deviceFilters } from '@hilltop/contract/filters';
import { query } from '../../api/queries.ts';
import { countButtons, type ListFilters } from '../../components/filters/list-filters.ts';
import { mostSampled, tagKeysOf } from '../../components/filters/tag-keys.ts';

/** The devices of an application, of an organization, or of all organizations. */
export interface DeviceScope {
  /** Empty for all organizations. */
  organizationID: string;
  /** Empty for all applications. */
  applicationID: string;
}

/** What the request of a list of devices says about its scope. */
export const requestOf = ({ organizationID, applicationID }: DeviceScope) =>
  applicationID !== '' ? { applicationID } : organizationID !== '' ? { organizationID } : {};

const { application: _, ...withinApplication } = deviceFilters;
const { profile: _p, serviceProfile: _s, networkServer: _n, ...withoutProfiles } = deviceFilters;
const named = { limit: 1000, offset: 0 };

/**
 * How a list of devices is filtered. `isLimited`: for somebody who sees only some applications, and therefore neither the
 * profiles nor the network-servers of the organization.
 */
export function deviceFiltersOf(scope: DeviceScope, isLimited = false): ListFilters {
  const { organizationID, applicationID } = scope;
  const owner = { organizationID: organizationID || '0' };
  return {
    noun: 'devices',
    fields: isLimited ? withoutProfiles : applicationID === '' ? deviceFilters : withinApplication,
    objects: {
      application: query('application', 'list', { ...owner, ...named }),
      deviceProfile: query('deviceProfile', 'list', { ...owner, ...named }),
      serviceProfile: query('serviceProfile', 'list', { ...owner, ...named }),
      networkServer: query('networkServer', 'list', { ...owner, ...named }),
    },
    tagKeys: tagKeysOf(
      query('device', 'list', { ...requestOf(scope), limit: mostSampled, offset: 0, include: ['tags'] }),
    ),
    counts: {
      buttons: countButtons(deviceCounts),
      read: (search, filter) => query('deviceCount', 'get', { ...requestOf(scope), search, filter }),
    },
  };
}
