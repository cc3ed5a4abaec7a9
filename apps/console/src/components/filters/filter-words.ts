import { type Filter, type FilterField, filterOperators } from '@hilltop/contract/filters';
import { formatLong } from '../last-seen/dates.ts';

/** The ages that a filter of times offers, and how chips say them. */
export const ages: Readonly<Record<string, string>> = {
  '1h': '1 hour',
  '6h': '6 hours',
  '24h': '24 hours',
  '7d': '7 days',
  '30d': '30 days',
  '90d': '90 days',
};

const ageUnits: Readonly<Record<string, string>> = { s: 'seconds', m: 'minutes', h: 'hours', d: 'days' };

/** Whether a time is given as an age, such as `24h`. */
export const isAge = (value: string): boolean => /^\d+[smhd]$/.test(value);

/** "24 hours" of `24h`. */
export const ageText = (value: string): string => ages[value] ?? `${value.slice(0, -1)} ${ageUnits[value.slice(-1)]}`;

function timeText(operator: Filter['operator'], value: string): string {
  if (!isAge(value)) return `${filterOperators[operator]} ${formatLong(value)}`;
  const age = ageText(value);
  return operator === 'before' ? `more than ${age} ago` : `in the last ${age}`;
}

/** The name of a filter: "Status", or "Tag site" for a value with a name. */
export const labelOf = ({ label, isKeyed }: FilterField, key: string): string => (isKeyed ? `${label} ${key}` : label);

const timeOperators: Readonly<Record<string, string>> = { before: 'longer ago than', after: 'within the last' };
const presenceOperators: Readonly<Record<string, string>> = { set: 'yes', unset: 'no' };

/** The operators of a field in words. */
export function operatorWord({ kind }: FilterField, operator: Filter['operator']): string {
  const own = kind === 'time' ? timeOperators : kind === 'presence' ? presenceOperators : {};
  return own[operator] ?? filterOperators[operator];
}

/** A filter as a sentence: "Status is Inactive", "Last seen more than 24 hours ago". `nameOf` names an object by its ID. */
export function filterWords(
  field: FilterField,
  { key, operator, values }: Filter,
  nameOf: (value: string) => string = (value) => value,
): string {
  const label = labelOf(field, key);
  if (field.kind === 'presence') return operator === 'set' ? label : `No ${label.toLowerCase()}`;
  if (values.length === 0) return `${label} ${filterOperators[operator]}`;
  if (field.kind === 'time') return `${label} ${values.map((value) => timeText(operator, value)).join(' or ')}`;
  const unit = field.unit === undefined ? '' : ` ${field.unit}`;
  const words = values.map((value) => (field.resource ? nameOf(value) : (field.choices?.[value] ?? value)) + unit);
  return `${label} ${filterOperators[operator]} ${words.join(' or ')}`;
}
