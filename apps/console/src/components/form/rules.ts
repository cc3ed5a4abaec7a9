import type { FieldFacts } from '../../api/facts.ts';
import { getIn } from './path.ts';

/** What a form adds to, or overrides in, the facts that the contract declares for a field. */
export interface FieldRules {
  label?: string;
  help?: string;
  required?: boolean;
  /** Trims spaces, which usually come from pasted text. */
  trim?: boolean;
  /** Returns an error sentence or null. Called only when required and pattern are satisfied. */
  validate?: (value: never, values: never) => string | null;
}

const isEmpty = (value: unknown) =>
  value === undefined || value === null || value === '' || (typeof value === 'string' && value.trim() === '');

/** Whether the form refuses an empty value: the rule of the form wins over that of the contract. */
export function isRequired(values: unknown, facts: FieldFacts, rules: FieldRules): boolean {
  if (rules.required !== undefined) return rules.required;
  const { required, requiredWhen } = facts;
  return required === true || (requiredWhen !== undefined && getIn(values, requiredWhen.field) === requiredWhen.is);
}

/** The first error of a value under the contract's facts and the form's rules, or null. */
export function problemOf(value: unknown, values: unknown, facts: FieldFacts, rules: FieldRules): string | null {
  const label = rules.label ?? facts.label;
  if (isEmpty(value)) {
    const verb = facts.kind === 'list' ? 'are' : 'is';
    return isRequired(values, facts, rules) ? `${label} ${verb} required.` : null;
  }
  return shapeProblem(value, label, facts) ?? rules.validate?.(value as never, values as never) ?? null;
}

const hexBytes: Record<string, number> = { eui64: 8, devAddr: 4, aes128Key: 16 };

function shapeProblem(value: unknown, label: string, facts: FieldFacts): string | null {
  if (typeof value === 'number') {
    if (facts.min !== undefined && value < facts.min) return `${label} must be at least ${facts.min}.`;
    if (facts.max !== undefined && value > facts.max) return `${label} must be at most ${facts.max}.`;
  }
  if (Array.isArray(value)) return itemProblem(value, label, facts);
  if (typeof value !== 'string') return null;
  const bytes = hexBytes[facts.kind];
  if (bytes !== undefined && !new RegExp(`^[0-9a-f]{${bytes * 2}}$`, 'i').test(value)) {
    return `${label} must be ${bytes} bytes (${bytes * 2} hexadecimal digits).`;
  }
  if (facts.minLength !== undefined && value.length < facts.minLength)
    return `${label} needs at least ${facts.minLength} characters.`;
  if (facts.maxLength !== undefined && value.length > facts.maxLength)
    return `${label} may have at most ${facts.maxLength} characters.`;
  if (facts.pattern && !new RegExp(facts.pattern, 'u').test(value)) return patternProblem(label, facts);
  return null;
}

const patternProblem = (label: string, { message }: FieldFacts) => message ?? `${label} has the wrong form.`;

/** The first item that does not match the pattern of the list. */
function itemProblem(items: readonly unknown[], label: string, facts: FieldFacts): string | null {
  if (!facts.pattern) return null;
  const pattern = new RegExp(facts.pattern, 'u');
  const wrong = items.find(
    (item): item is string => typeof item === 'string' && item.trim() !== '' && !pattern.test(item.trim()),
  );
  return wrong === undefined ? null : `${wrong}: ${patternProblem(label, facts)}`;
}
