import { readFileSync } from 'node:fs';

const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');

/** The version of this server: `0.1.0`. */
export const { version } = JSON.parse(text) as { version: string };

/** Whether `one` is older than `other`, both as `1.12.0`. */
export function isOlder(one: string, other: string): boolean {
  return one.localeCompare(other, 'en', { numeric: true }) < 0;
}
