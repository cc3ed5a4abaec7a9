import { readFileSync } from 'node:fs';

/** What a file imports, types and what is loaded later included, as it is written there. */
export function importsOf(file: string): string[] {
  const found = readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g);
  return [...found].map((match) => match[1]!);
}
