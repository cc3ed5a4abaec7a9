import { posix } from 'node:path';
import { Marked, type Tokens } from 'marked';
import { navigation, type Page, shortTitles, slugOf } from './pages.ts';

/** What the pages refer to, by the path below `docs/` that Markdown names. */
export interface Assets {
  styles: string;
  favicon: string;
  /** Of a picture: its address and size in pixels. */
  picture: (path: string) => { address: string; width: number; height: number };
}

type PagesByFile = ReadonlyMap<string, Page>;

/** A heading of the second level. */
interface Section {
  id: string;
  text: string;
}

/** Makes the HTML of each page. Links between Markdown files become addresses; links to other files become plain text. */
export function createRenderer(pages: readonly Page[], assets: Assets) {
  checkNavigation(pages);
  const byFile = new Map(pages.map((page) => [page.file, page]));
  return {
    page: (page: Page) => {
      const { html, sections } = contentOf(page, byFile, assets);
      return documentOf(assets, page.title, linksOf(byFile, page, sections), html);
    },
    notFound: () =>
      documentOf(
        assets,
        'No such page',
        linksOf(byFile, undefined, []),
        '<h1>No such page</h1>\n<p>Nothing is documented at this address. <a href="/docs/">The overview</a> lists all pages.</p>\n',
      ),
  };
}

function checkNavigation(pages: readonly Page[]): void {
  const inNavigation = navigation.flatMap(([, files]) => files);
  for (const file of inNavigation)
    if (!pages.some((page) => page.file === file))
      throw new Error(`The navigation names docs/${file}, which is missing.`);
  for (const { file } of pages)
    if (!file.startsWith('decisions/') && !inNavigation.includes(file))
      throw new Error(`docs/${file} is missing from the navigation in apps/docs/src/pages.ts.`);
}

/** Undefined for a file that is not part of the documents, such as `../deploy/nginx.conf`. */
function resolveLink(byFile: PagesByFile, from: Page, href: string): string | undefined {
  if (/^(https?:|mailto:|#|\/)/.test(href)) return href;
  const [path = '', fragment] = href.split('#');
  const target = byFile.get(posix.normalize(posix.join(posix.dirname(from.file), path)));
  return target && target.address + (fragment ? `#${fragment}` : '');
}

/** The HTML of the Markdown of a page, and its sections. */
function contentOf(page: Page, byFile: PagesByFile, assets: Assets): { html: string; sections: Section[] } {
  const sections: Section[] = [];
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }: Tokens.Heading) {
        const id = slugOf(text);
        const plain = escapeHTML(text.replaceAll('`', ''));
        if (depth === 2) sections.push({ id, text: plain });
        const inner = this.parser.parseInline(tokens);
        return depth === 1
          ? `<h1>${inner}</h1>\n`
          : `<h${depth} id="${id}">${inner} <a class="anchor" href="#${id}" aria-label="Link to ${plain}">#</a></h${depth}>\n`;
      },
      link({ href, tokens }: Tokens.Link) {
        const inner = this.parser.parseInline(tokens);
        const address = resolveLink(byFile, page, href);
        return address === undefined ? inner : `<a href="${escapeHTML(address)}">${inner}</a>`;
      },
      image({ href, text }: Tokens.Image) {
        const { address, width, height } = assets.picture(posix.join(posix.dirname(page.file), href));
        return `<img src="${address}" alt="${escapeHTML(text)}" width="${width}" height="${height}">`;
      },
      code({ text }: Tokens.Code) {
        return `<pre tabindex="0"><code>${escapeHTML(text)}</code></pre>\n`;
      },
      html: ({ text }: Tokens.HTML | Tokens.Tag) => escapeHTML(text),
    },
  });
  const html = marked
    .parse(page.markdown, { async: false })
    .replaceAll('<table>', '<div class="table" tabindex="0" role="group" aria-label="Table"><table>')
    .replaceAll('</table>', '</table></div>');
  return { html, sections };
}

/** The navigation, with the sections of the current page. */
function linksOf(byFile: PagesByFile, current: Page | undefined, sections: readonly Section[]): string {
  return navigation
    .map(([heading, files]) => {
      const items = files.map((file) => {
        const page = byFile.get(file)!;
        const isHere = page.file === current?.file;
        const mark = isHere ? ' aria-current="page"' : '';
        const below =
          isHere && sections.length > 1
            ? `<ul>${sections.map(({ id, text }) => `<li><a href="#${id}">${text}</a></li>`).join('')}</ul>`
            : '';
        return `<li><a href="${page.address}"${mark}>${escapeHTML(shortTitles[file] ?? page.title)}</a>${below}</li>`;
      });
      return `<h2>${heading}</h2>\n<ul>${items.join('\n')}</ul>`;
    })
    .join('\n');
}

function documentOf(assets: Assets, title: string, navigationLinks: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHTML(title)} · Hilltop</title>
<link rel="icon" href="${assets.favicon}">
<link rel="stylesheet" href="${assets.styles}">
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header><a class="brand" href="/docs/"><img src="${assets.favicon}" alt="" width="28" height="28">Hilltop</a><span>Documentation</span><a class="console" href="/">Console</a></header>
<details class="menu"><summary>Contents</summary><nav aria-label="Contents">${navigationLinks}</nav></details>
<div class="columns">
<nav class="side" aria-label="Documents">${navigationLinks}</nav>
<main id="content">
${content}</main>
</div>
</body>
</html>
`;
}

function escapeHTML(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
