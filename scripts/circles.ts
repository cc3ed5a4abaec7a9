// Refuses circular imports, including imports of types: files in a circle cannot be understood one by one.
import { globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { importsOf } from './imports.ts';

const files = new Set(globSync('{packages,apps}/*/src/**/*.{ts,tsx}'));

const ownImportsOf = (file: string) =>
  importsOf(file)
    .filter((target) => target.startsWith('.'))
    .map((target) => join(dirname(file), target))
    .filter((target) => files.has(target));

/** Each circle once, as the path from a file back to itself. */
function circles(): string[][] {
  const found: string[][] = [];
  const done = new Set<string>();
  const way: string[] = [];
  const follow = (file: string) => {
    const start = way.indexOf(file);
    if (start >= 0) found.push([...way.slice(start), file]);
    if (start >= 0 || done.has(file)) return;
    way.push(file);
    for (const target of ownImportsOf(file)) follow(target);
    way.pop();
    done.add(file);
  };
  for (const file of files) follow(file);
  return found;
}

const found = circles();
for (const circle of found) console.error(`Circular import: ${circle.join(' -> ')}`);
process.exit(found.length === 0 ? 0 : 1);
