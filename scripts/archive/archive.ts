import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import manifest from '../../package.json' with { type: 'json' };
import { bundleServer, programs } from './bundle.ts';
import { thirdPartyLicenses } from './licenses.ts';
import { loadNodeProgram, type Platform } from './node-program.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const megabyte = 1_000_000;

/** The name of an archive, and of the folder in it. */
export const archiveName = (platform: Platform): string => `hilltop-${manifest.version}-${platform}`;

/** Fills an empty folder with everything that a machine needs to run Hilltop: it installs nothing. */
export async function fillFolder(folder: string, platform: Platform): Promise<void> {
  const { program, license } = loadNodeProgram(platform);
  mkdirSync(join(folder, 'bin'), { recursive: true });
  writeFileSync(join(folder, 'bin/node'), program);
  const packages = await bundleServer(join(folder, 'server'));
  writeFileSync(join(folder, 'server/package.json'), '{ "type": "module" }\n');
  const copy = (from: string, to: string) =>
    cpSync(join(root, from), join(folder, to), { recursive: true, filter: (path) => !isLeftOut(path) });
  copy('apps/console/dist', 'console');
  copy('apps/docs/dist', 'docs');
  copy('deploy', 'deploy');
  copy('LICENSE', 'LICENSE');
  writeFileSync(join(folder, 'THIRD-PARTY-LICENSES.txt'), thirdPartyLicenses(license, packages));
  writeFileSync(join(folder, 'hilltop'), startScript());
  for (const file of ['bin/node', 'hilltop']) chmodSync(join(folder, file), 0o755);
}

/** Lists of packages, and keys that the operator of this machine has made. */
const isLeftOut = (path: string) => ['.vite', 'secrets'].includes(basename(path));

/** Starts a program with the options that its npm script has. */
function startScript(): string {
  const cases = programs
    .filter((name) => name !== 'main')
    .map((name) => `  ${name}) shift; set -- ${commandOf(name)} "$@" ;;`);
  return `#!/bin/sh
# Starts Hilltop, or one of its commands: ./hilltop --help
file=$0
[ -L "$file" ] && file=$(readlink -f "$file")
here=$(cd "\${file%/*}" && pwd)
# Compiling takes a third of a start: later starts read the compiled code from this folder, if it can be written.
export NODE_COMPILE_CACHE="\${NODE_COMPILE_CACHE:-\${CACHE_DIRECTORY:-$here/cache}}"
case "\${1:-}" in
${cases.join('\n')}
  *) set -- ${commandOf('main')} "$@" ;;
esac
exec "$here/bin/node" "$@"
`;
}

function commandOf(name: (typeof programs)[number]): string {
  const script = manifest.scripts[name === 'main' ? 'start' : name];
  const options = script.split(' ').filter((part) => part.startsWith('--') && !part.startsWith('--import='));
  return [...options, `"$here/server/${name}.js"`].join(' ');
}

/** Writes `<name>.tar.gz` with the folder. The same content gives the same bytes. Answers its path. */
export function packFolder(folder: string, { level = 6 } = {}): string {
  const file = `${folder}.tar.gz`;
  const sameEverywhere = [
    '--sort=name',
    '--mtime=@0',
    '--owner=0',
    '--group=0',
    '--numeric-owner',
    '--mode=u=rwX,go=rX',
  ];
  const compress = `--use-compress-program=gzip -n -${level}`;
  execFileSync('tar', [...sameEverywhere, compress, '-cf', file, '-C', dirname(folder), basename(folder)]);
  return file;
}

/** Makes the archive of a platform in a folder. Answers its path, and the size of its content in MB. */
export async function makeArchive(platform: Platform, { into, level }: { into: string; level?: number }) {
  const folder = join(into, archiveName(platform));
  rmSync(folder, { recursive: true, force: true });
  await fillFolder(folder, platform);
  const unpackedMB = Math.ceil(bytesIn(folder) / megabyte);
  const file = packFolder(folder, level === undefined ? {} : { level });
  rmSync(folder, { recursive: true });
  return { file, unpackedMB };
}

function bytesIn(folder: string): number {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return entries.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}
