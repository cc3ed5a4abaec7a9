import type { Alert, AlertConditionName, AlertRule, AlertStateName, AlertValue } from '@hilltop/contract';
import { type ConditionName, conditionOf } from '@hilltop/contract/conditions';
import { paths } from '../../paths.ts';

type Tone = 'active' | 'inactive' | 'never' | 'attention';

export const stateWords: Readonly<Record<AlertStateName, { word: string; tone: Tone }>> = {
  FIRING: { word: 'firing', tone: 'inactive' },
  ACKNOWLEDGED: { word: 'acknowledged', tone: 'attention' },
  PENDING: { word: 'pending', tone: 'never' },
  RESOLVED: { word: 'resolved', tone: 'active' },
};

/** What an alert rule can watch, in the order of the form. */
export const watchable = [
  'GATEWAY_OFFLINE',
  'GATEWAY_FLAPPING',
  'GATEWAY_REFUSES',
  'GATEWAY_NEVER_SEEN',
  'DEVICE_SILENT',
  'LOW_BATTERY',
  'LOSS',
  'LOW_MARGIN',
  'JOIN_REFUSED',
  'NEVER_JOINED',
  'CODEC_ERRORS',
  'INTEGRATION_FAILING',
  'KEY_EXPIRES',
] as const satisfies readonly ConditionName[];

export const conditionLabel = (condition: AlertConditionName): string =>
  condition === 'VALUE' ? 'Value of a device' : conditionOf(condition).label;

const comparisons = { ABOVE: 'above', BELOW: 'below', EQUALS: 'equal to', OUTSIDE: 'outside' } as const;

/** Such as `temperature above 30`. */
export function valueWords({ field, comparison, threshold, upperThreshold }: AlertValue): string {
  const limit = comparison === 'OUTSIDE' ? `${threshold} to ${upperThreshold}` : threshold;
  return `${field} ${comparisons[comparison]} ${limit}`;
}

/** What a rule watches, in one line. */
export const watchedBy = ({ condition, value }: Pick<AlertRule, 'condition' | 'value'>): string =>
  condition === 'VALUE' && value ? valueWords(value) : conditionLabel(condition);

/** The page of the subject of an alert; undefined where it has none. */
export function subjectPath(organizationID: string, alert: Alert): string | undefined {
  const { subjectKind, subjectID, applicationID } = alert;
  if (subjectKind === 'GATEWAY') return paths.gateway.one(organizationID, subjectID);
  if (subjectKind === 'DEVICE') return paths.device.one(organizationID, applicationID, subjectID);
  if (subjectKind === 'INTEGRATION') return paths.integrations(organizationID, applicationID);
  return subjectKind === 'API_KEY' ? paths.organizationAPIKey.list(organizationID) : undefined;
}
