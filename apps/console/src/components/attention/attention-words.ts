import type { AttentionCount, AttentionItem, ConditionSeverity } from '@hilltop/contract';
import { conditionOf } from '@hilltop/contract/conditions';
import { integrationKinds, segmentOf } from '../../api/integration-facts.ts';
import { paths } from '../../paths.ts';
import { devicesWith, gatewaysWith } from '../filters/list-links.ts';
import { formatLong } from '../last-seen/dates.ts';

/** The tone and the word of a severity. */
export const severities = {
  failure: { tone: 'inactive', word: 'Failure' },
  warning: { tone: 'attention', word: 'Warning' },
  note: { tone: 'never', word: 'Note' },
} as const satisfies Record<ConditionSeverity, object>;

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
export const formatClock = (at: string): string => clock.format(new Date(at));

const dayMs = 86_400_000;

/** "7 devices silent", "1 gateway offline since 08:23". */
export function countText({ condition, count, since }: AttentionCount, nowMs: number): string {
  const { one, many, subject } = conditionOf(condition);
  if (count !== 1) return `${count.toLocaleString('en')} ${many}`;
  const isOutage = subject === 'GATEWAY' && since !== null && nowMs - Date.parse(since) < dayMs;
  return `1 ${one}${isOutage ? ` since ${formatClock(since)}` : ''}`;
}

/** The counts that need attention, without notes and without what is snoozed. */
export const urgentOf = (counts: readonly AttentionCount[]): AttentionCount[] =>
  counts.filter(({ condition, count }) => count > 0 && conditionOf(condition).severity !== 'note');

interface Target {
  readonly to: string;
  readonly search?: Readonly<Record<string, string>>;
}

/** The list of all subjects of a condition, in an organization or in all ('0'); undefined where there is none. */
export function listOf(condition: AttentionCount['condition'], organizationID: string): Target | undefined {
  const isAll = organizationID === '0';
  const { subject } = conditionOf(condition);
  if (subject === 'DEVICE')
    return {
      to: isAll ? paths.allDevices() : paths.organizationDevices(organizationID),
      search: devicesWith('condition', condition),
    };
  if (subject === 'GATEWAY')
    return {
      to: isAll ? paths.allGateways() : paths.gateway.list(organizationID),
      search: gatewaysWith('condition', condition),
    };
  return undefined;
}

/** The page of an organization, or of all ('0'). */
export const attentionPage = (organizationID: string): string =>
  organizationID === '0' ? paths.allAttention() : paths.attention(organizationID);

/** The page of a subject; undefined where it has none. */
export function pageOf({
  subjectKind,
  subjectID,
  integrationKind,
  organizationID,
  applicationID,
  condition,
}: AttentionItem): string | undefined {
  if (subjectKind === 'DEVICE') {
    const page = condition === 'NEVER_JOINED' || condition === 'JOIN_REFUSED' ? paths.device.one : paths.deviceTimeline;
    return page(organizationID, applicationID, subjectID);
  }
  if (subjectKind === 'GATEWAY') return paths.gateway.one(organizationID, subjectID);
  if (subjectKind === 'API_KEY')
    return organizationID === '0' ? paths.apiKey.list() : paths.organizationAPIKey.list(organizationID);
  // Integrations of the whole installation are in its settings.
  if (subjectKind === 'INTEGRATION' && applicationID !== '0')
    return paths.integration(organizationID, applicationID, segmentOf(integrationKind), 'deliveries');
  if (subjectKind === 'INTEGRATION' && organizationID !== '0') return paths.gatewayEvents(organizationID, 'deliveries');
  return undefined;
}

export function nameOf({ subjectKind, name, integrationKind }: AttentionItem): string {
  if (subjectKind === 'INSTALLATION') return 'This installation';
  if (subjectKind !== 'INTEGRATION') return name;
  if (integrationKind === 'GATEWAY_HTTP') return 'Gateway events by HTTP';
  const label = integrationKinds.find(({ kind }) => kind === integrationKind)?.label ?? integrationKind;
  return name === '' ? label : `${label} of ${name}`;
}

export const isSnoozed = ({ snoozedUntil }: Pick<AttentionItem, 'snoozedUntil'>, nowMs: number): boolean =>
  snoozedUntil !== null && Date.parse(snoozedUntil) > nowMs;

/** The number that counts, with its unit; empty for a condition without one. */
export function valueText({ condition, value }: Pick<AttentionItem, 'condition' | 'value'>): string {
  const declared = conditionOf(condition).value;
  if (!declared) return '';
  const rounded = Math.round(value * 10) / 10;
  switch (declared.kind) {
    case 'percent':
      return `${rounded} %`;
    case 'decibel':
      return `${rounded} dB`;
    case 'duration':
      return durationText(value);
    case 'time':
      return formatLong(new Date(value).toISOString());
    default:
      return value.toLocaleString('en');
  }
}

const units = [
  ['days', dayMs],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
] as const;

/** "90 min", "2 h": in the largest unit of which there are at least two. */
function durationText(ms: number): string {
  const [unit, size] = units.find(([, one]) => ms >= 2 * one) ?? units.at(-1)!;
  return `${Math.round(ms / size)} ${unit}`;
}
