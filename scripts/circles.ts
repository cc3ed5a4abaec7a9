// Refuses circular imports between files, and between the folders of the servers, including imports of types.
import { globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { importsOf } from './imports.ts';

const files = new Set(globSync('{packages,apps}/*/src/**/*.{ts,tsx}'));

const ownImportsOf = (file: string) =>
  importsOf(file)
    .filter((target) => target.startsWith('.'))
    .map((target) => join(dirname(file), target))
    .filter((target) => files.has(target));

/** Each circle once, as the path from a node back to itself. */
function circles(nodes: Iterable<string>, importsOfNode: (node: string) => Iterable<string>): string[][] {
  const found: string[][] = [];
  const done = new Set<string>();
  const path: string[] = [];
  const follow = (node: string) => {
    const start = path.indexOf(node);
    if (start >= 0) found.push([...path.slice(start), node]);
    if (start >= 0 || done.has(node)) return;
    path.push(node);
    for (const target of importsOfNode(node)) follow(target);
    path.pop();
    done.add(node);
  };
  for (const node of nodes) follow(node);
  return found;
}

const layered = ['apps/server/src', 'packages/network-server/src'];
const isTest = (file: string) => /\.test\.ts$|\/testing\/|conformance\.ts$/.test(file);

/** Folders and the folders that they import. A file at the root of a part counts as a folder of its own. */
function folderImports(): Map<string, Set<string>> {
  const folders = new Map<string, Set<string>>();
  const folderOf = (file: string) => (layered.includes(dirname(file)) ? file : dirname(file));
  for (const file of files) {
    if (isTest(file) || !layered.some((root) => file.startsWith(`${root}/`))) continue;
    const folder = folderOf(file);
    const imported = folders.get(folder) ?? new Set();
    folders.set(folder, imported);
    for (const target of ownImportsOf(file)) if (folderOf(target) !== folder) imported.add(folderOf(target));
  }
  return folders;
}

const folders = folderImports();
const found = [...circles(files, ownImportsOf), ...circles(folders.keys(), (folder) => folders.get(folder) ?? [])];
for (const circle of found) console.error(`Circular import: ${circle.join(' -> ')}`);
process.exit(found.length === 0 ? 0 : 1);
