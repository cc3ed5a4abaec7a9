/**
 * Verifies what the documents refer to: files and headings they link to, paths in the list of security requirements,
 * metrics, the numbers of decisions, and the folders in ARCHITECTURE.md.
 */
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const read = (file: string) => readFileSync(file, 'utf8');
const problems: string[] = [];

/** The ids of headings, as GitHub and the built pages generate them. */
const headingsOf = (text: string) =>
  [...text.replaceAll(/^```[^]*?^```/gm, '').matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(' ', '-'),
  );

for (const document of globSync(['*.md', 'docs/**/*.md']))
  for (const [, path = '', fragment] of read(document).matchAll(/\]\(([^)#:]*)(?:#([^)]*))?\)/g)) {
    const target = path === '' ? document : normalize(join(dirname(document), path));
    if (!existsSync(target)) problems.push(`${document} links to ${path}, which does not exist.`);
    else if (fragment && target.endsWith('.md') && !headingsOf(read(target)).includes(fragment))
      problems.push(`${document} links to ${path}#${fragment}, which is not a heading.`);
  }

const server = 'apps/server/src';
for (const [, path = ''] of read('docs/asvs.md').matchAll(/`([\w./-]+\.(?:ts|tsx|json|md))`/g))
  if (!existsSync(path) && !existsSync(join(server, path)))
    problems.push(`docs/asvs.md names ${path}, which does not exist.`);

/** Metrics of Node.js and the histogram of calls, whose names are not in the source. */
const madeElsewhere = ['hilltop_api_call_seconds', 'hilltop_process_', 'hilltop_nodejs_'];
const sources = globSync([`${server}/**/*.ts`, 'packages/network-server/src/**/*.ts']).filter(
  (file) => !/\.test\.ts$|\/testing\/|\/import-v3\//.test(file),
);
const metrics = new Set(
  sources.flatMap((file) =>
    [...read(file).matchAll(/(?<!boundary\.)\b(count|gauges?|labeledGauges|observe)\(\s*'([a-z_]+)'/g)].map(
      ([, kind, name]) => `hilltop_${name}${kind === 'count' ? '_total' : ''}`,
    ),
  ),
);
const documented = new Set([...read('docs/metrics.md').matchAll(/`(hilltop_[a-z_]+)/g)].map(([, name = '']) => name));
for (const name of metrics) if (!documented.has(name)) problems.push(`docs/metrics.md does not list ${name}.`);
for (const name of documented)
  if (!metrics.has(name) && !madeElsewhere.includes(name))
    problems.push(`docs/metrics.md lists ${name}, which the server does not have.`);
for (const document of globSync(['docs/*.md']))
  for (const [, name = ''] of read(document).matchAll(/\b(hilltop_[a-z_]+)[{` ]/g))
    if (!documented.has(name))
      problems.push(`${document} names the metric ${name}, which docs/metrics.md does not list.`);

const decisions = globSync('docs/decisions/0*.md').sort();
const index = read('docs/decisions/index.md');
for (const [position, file] of decisions.entries()) {
  const number = String(position + 1).padStart(4, '0');
  if (!basename(file).startsWith(`${number}-`)) problems.push(`${file} should have the number ${number}.`);
  if (!read(file).startsWith(`# ${number} `)) problems.push(`The heading of ${file} should begin with ${number}.`);
  if (!index.includes(`(${basename(file)})`)) problems.push(`docs/decisions/index.md does not list ${file}.`);
}

const architecture = read('ARCHITECTURE.md');
for (const folder of [server, 'packages/network-server/src'])
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory() && !new RegExp(`\\b${entry.name}\\b`).test(architecture))
      problems.push(`ARCHITECTURE.md does not say what ${join(folder, entry.name)}/ is for.`);

for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;
