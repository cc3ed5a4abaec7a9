import { readFileSync } from 'node:fs';

/** The specifiers of all imports of a file, including type imports and dynamic imports. */
export function importsOf(file: string): string[] {
  const found = readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g);
  return [...found].map((match) => match[1]!);
}
