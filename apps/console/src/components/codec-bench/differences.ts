import { isSameJSON } from '@hilltop/contract';

/** One member that differs; `undefined` where it is missing. */
export interface Difference {
  path: string;
  before: unknown;
  now: unknown;
}

/** The members in which two JSON values differ, at most `most`. Numbers may differ by 1e-9. */
export function differencesOf(before: unknown, now: unknown, most = 50): Difference[] {
  const found: Difference[] = [];
  walk(before, now, '', (difference) => {
    if (found.length < most) found.push(difference);
  });
  return found;
}

function walk(before: unknown, now: unknown, path: string, add: (difference: Difference) => void): void {
  if (isBranch(before) && isBranch(now) && Array.isArray(before) === Array.isArray(now)) {
    for (const name of Object.keys({ ...before, ...now }))
      walk(memberOf(before, name), memberOf(now, name), path === '' ? name : `${path}.${name}`, add);
    return;
  }
  if (!isSameJSON(before, now)) add({ path: path || 'value', before, now });
}

const isBranch = (value: unknown): value is object => typeof value === 'object' && value !== null;

const memberOf = (value: object, name: string): unknown =>
  Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
