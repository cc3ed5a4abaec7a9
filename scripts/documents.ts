/** What the documents name is there: files they link to, tests and their names in `docs/security.md`, and every room. */
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const read = (file: string) => readFileSync(file, 'utf8');
const found: string[] = [];

for (const document of globSync(['*.md', 'docs/**/*.md']))
  for (const [, target = ''] of read(document).matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g))
    if (!existsSync(join(dirname(document), target))) found.push(`${document} links to ${target}, which is gone.`);

const server = 'apps/server/src';
const security = 'docs/security.md';
for (const row of read(security).split('\n')) {
  const named = [...row.matchAll(/`([\w./-]+\.(?:ts|tsx|json|md))`/g)].map(
    ([, path = '']) => [path, join(server, path)].find((one) => existsSync(one)) ?? path,
  );
  for (const path of named) if (!existsSync(path)) found.push(`${security} names ${path}, which is gone.`);
  const tests = named.filter((path) => /\.(test|spec)\.ts$/.test(path) && existsSync(path)).map(read);
  for (const [, name = ''] of row.matchAll(/"([^"]+)"/g))
    if (tests.length > 0 && !tests.some((text) => text.includes(name)))
      found.push(`${security} names the test "${name}", which none of the files of its row has.`);
}

const architecture = read('ARCHITECTURE.md');
for (const house of [server, 'packages/network-server/src'])
  for (const room of readdirSync(house, { withFileTypes: true }))
    if (room.isDirectory() && !new RegExp(`\\b${room.name}/`).test(architecture))
      found.push(`ARCHITECTURE.md does not say what ${join(house, room.name)}/ is for.`);

for (const problem of found) console.error(problem);
process.exitCode = found.length > 0 ? 1 : 0;
