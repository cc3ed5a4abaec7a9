// Refuses an exported type whose name another file of the same package exports.
import { globSync, readFileSync } from 'node:fs';

/** Each of these files is used as a namespace (`gw.GatewayStats`, `ns.GatewayStats`). */
const namespaces = 'packages/protobuf/src/messages/';

const packageOf = (file: string) =>
  file
    .split('/')
    .slice(0, file.startsWith('packages/') || file.startsWith('apps/') ? 2 : 1)
    .join('/');

const filesByName = new Map<string, string[]>();
for (const file of globSync(['{packages,apps}/*/src/**/*.{ts,tsx}', '{e2e,bench,scripts}/**/*.ts'])) {
  if (file.startsWith(namespaces)) continue;
  for (const [, name] of readFileSync(file, 'utf8').matchAll(
    /^export (?:interface|type|(?:abstract )?class) (\w+)/gm,
  )) {
    const key = `${packageOf(file)} ${name}`;
    filesByName.set(key, [...(filesByName.get(key) ?? []), file]);
  }
}

const duplicates = [...filesByName].filter(([, files]) => new Set(files).size > 1);
for (const [key, files] of duplicates)
  console.error(`${key.split(' ')[1]} is exported by ${files.join(' and ')}: give each type a name of its own.`);
process.exit(duplicates.length === 0 ? 0 : 1);
