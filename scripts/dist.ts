// Makes an archive for each platform: Node.js, the bundled server, the console and the documents.
// Usage: dist.ts [platform ...]   (all when none is named)
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { makeArchive } from './archive/archive.ts';
import { type Platform, platforms } from './archive/node-program.ts';

const into = fileURLToPath(new URL('../dist', import.meta.url));
const wanted = process.argv.slice(2);
const isPlatform = (name: string): name is Platform => (platforms as readonly string[]).includes(name);
const unknown = wanted.find((name) => !isPlatform(name));
if (unknown !== undefined) {
  console.error(`There is no platform ${unknown}. Choose from ${platforms.join(', ')}.`);
  process.exit(1);
}

for (const platform of wanted.length > 0 ? wanted.filter(isPlatform) : platforms) {
  const { file, unpackedMB } = await makeArchive(platform, { into });
  console.log(`${file}: ${Math.ceil(statSync(file).size / 1_000_000)} MB, unpacked ${unpackedMB} MB`);
}
