import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** What Vite writes about the packages of the console. */
const ofConsole = join(root, 'apps/console/dist/.vite/license.json');
/** Packages whose font and map the console has; it has none of their code. */
const dataOfConsole = ['@fontsource-variable/inter', 'world-atlas'];

interface License {
  name: string;
  version: string;
  /** SPDX identifier. */
  identifier?: string;
  text?: string;
}

/** One text with the licenses of Node.js and of all packages in the archive. */
export function thirdPartyLicenses(nodeLicense: string, serverPackages: readonly string[]): string {
  if (!existsSync(ofConsole)) throw new Error('The console is not built: run npm run build.');
  const data = dataOfConsole.map((name) => join(root, 'node_modules', name));
  const all = [
    ...(JSON.parse(readFileSync(ofConsole, 'utf8')) as License[]),
    ...[...serverPackages, ...data].map(licenseOf),
  ];
  const byPackage = new Map(all.map((license) => [`${license.name} ${license.version}`, license]));
  const sections = [...byPackage]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([title, license]) => sectionOf(title, license));
  return ['Hilltop contains the following software.', ...sections, `Node.js\n\n${nodeLicense.trim()}`].join(
    `\n\n${'-'.repeat(80)}\n\n`,
  );
}

function sectionOf(title: string, { identifier, text }: License): string {
  if (identifier === undefined && text === undefined) throw new Error(`${title} has no license.`);
  return [
    identifier === undefined ? title : `${title} (${identifier})`,
    ...(text === undefined ? [] : [text.trim()]),
  ].join('\n\n');
}

function licenseOf(folder: string): License {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    name: string;
    version: string;
    license?: string;
  };
  const files = readdirSync(folder)
    .filter((file) => /^(licen[cs]e|copying|notice)\b/i.test(file))
    .sort();
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8').trim());
  return {
    name,
    version,
    ...(license !== undefined && { identifier: license }),
    ...(texts.length > 0 && { text: texts.join('\n\n') }),
  };
}
