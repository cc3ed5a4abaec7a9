import { readFileSync } from 'node:fs';

const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');

/** Of this server: `0.1.0`. */
export const { version } = JSON.parse(text) as { version: string };
