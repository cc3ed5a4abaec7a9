import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { navigation, type Page, readPages, slugOf } from './pages.ts';
import { createRenderer } from './render.ts';

const assets = {
  styles: '/docs/assets/docs.css',
  favicon: '/docs/assets/favicon.svg',
  picture: (path: string) => ({ address: `/docs/assets/${path}`, width: 4, height: 3 }),
};
const pages = readPages();
const renderer = createRenderer(pages, assets);
const rendered = new Map(pages.map((page) => [page.address, renderer.page(page)]));

/** The HTML of a page with this text beside the real ones. */
function render(markdown: string, file = 'index.md'): string {
  const page: Page = { file, address: '/docs/', title: 'Test', markdown };
  return createRenderer([...pages.filter((other) => other.file !== file), page], assets).page(page);
}

describe('the pages of the documentation', () => {
  it('have the addresses that the console links to', () => {
    for (const name of ['', 'quick-start', 'concepts', 'gateways', 'settings', 'decisions/', 'decisions/0001'])
      assert.ok(rendered.has(`/docs/${name}`), name);
  });

  it('link only to headings and pages that exist', () => {
    for (const [address, html] of rendered)
      for (const [, target = ''] of html.matchAll(/href="([^"]*)"/g)) {
        if (/^https?:/.test(target) || target === '/' || target.startsWith('/docs/assets/')) continue;
        const [path, fragment] = target.split('#');
        const other = rendered.get(path || address);
        assert.ok(other, `${address} links to ${target}`);
        if (fragment && fragment !== 'content')
          assert.match(other, new RegExp(`id="${fragment}"`), `${address} links to ${target}`);
      }
  });

  it('show HTML in a text as text, and run none', () => {
    const html = render('# Title\n\n<script>alert(1)</script>\n\ntext with <img src=x onerror=alert(1)>\n');
    assert.doesNotMatch(html, /<script|<img src=x/);
    assert.match(html, /&lt;script&gt;/);
  });

  it('turn links to Markdown files into addresses, and links to other files into plain text', () => {
    const html = render('# Title\n\n[Settings](settings.md#mqtt), [nginx](../deploy/nginx.conf)\n');
    assert.match(html, /<a href="\/docs\/settings#mqtt">Settings<\/a>, nginx/);
  });

  it('mark the current page in the navigation', () => {
    for (const file of navigation.flatMap(([, files]) => files)) {
      const { address } = pages.find((page) => page.file === file)!;
      assert.match(rendered.get(address)!, new RegExp(`<a href="${address}" aria-current="page">`));
    }
  });

  it('give headings the ids that GitHub gives them', () => {
    assert.equal(slugOf('Back up and restore'), 'back-up-and-restore');
    assert.equal(slugOf('`ns` and "as": what, why?'), 'ns-and-as-what-why');
  });

  it('refuse a page that is missing in the navigation', () => {
    const page: Page = { file: 'extra.md', address: '/docs/extra', title: 'Extra', markdown: '# Extra' };
    assert.throws(() => createRenderer([...pages, page], assets), /extra\.md is missing from the navigation/);
  });
});
