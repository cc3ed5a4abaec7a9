import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the Markdown files. */
export const source = fileURLToPath(new URL('../../../docs/', import.meta.url));

export interface Page {
  /** Below `docs/`, such as `quick-start.md` or `decisions/0001-effects.md`. */
  file: string;
  /** Such as `/docs/quick-start` or `/docs/decisions/0001`. */
  address: string;
  /** The first heading. */
  title: string;
  markdown: string;
}

/** Titles in the navigation where the heading of the page is too long or too general. */
export const shortTitles: Readonly<Record<string, string>> = { 'index.md': 'Overview', 'moving-in.md': 'Moving in' };

/** The left navigation: headings and the files below them. A page that is missing here fails the build. */
export const navigation: readonly (readonly [heading: string, files: readonly string[]])[] = [
  ['Start', ['index.md', 'quick-start.md', 'concepts.md']],
  ['Use', ['gateways.md', 'devices.md', 'integrations.md', 'alerts.md', 'api.md']],
  ['Operate', ['operate.md', 'settings.md', 'metrics.md', 'scaling.md', 'security.md', 'moving-in.md']],
  ['Reference', ['glossary.md', 'design.md', 'decisions/index.md', 'asvs.md', 'measurements.md', 'map-data.md']],
];

export function readPages(folder = source): Page[] {
  return globSync(['*.md', 'decisions/*.md'], { cwd: folder })
    .sort()
    .map((file) => {
      const markdown = readFileSync(join(folder, file), 'utf8');
      const [, title = ''] = /^# (.+)$/m.exec(markdown) ?? [];
      if (title === '') throw new Error(`docs/${file} has no heading of the first level.`);
      return { file, address: addressOf(file), title: title.replaceAll('`', ''), markdown };
    });
}

/** `index.md` → `/docs/`, `decisions/0001-effects.md` → `/docs/decisions/0001`. */
function addressOf(file: string): string {
  const [, number] = /^decisions\/(\d{4})-/.exec(file) ?? [];
  if (number) return `/docs/decisions/${number}`;
  return `/docs/${basename(file) === 'index.md' ? file.slice(0, -'index.md'.length) : file.slice(0, -'.md'.length)}`;
}

/** The id of a heading, as GitHub makes it, so that a link works in the repository and in the built page. */
export function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');
}
