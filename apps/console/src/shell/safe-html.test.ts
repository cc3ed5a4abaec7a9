import { describe, expect, it } from 'vitest';
import { safeHTML } from './safe-html.ts';

describe('safeHTML', () => {
  it('keeps formatting, links and images', () => {
    const html = '<p>Call <b>us</b> at <a href="https://example.com">our site</a><img src="/logo.png" alt="Logo"></p>';
    expect(safeHTML(html)).toBe(html.replace('">our', '" rel="noreferrer noopener">our'));
  });

  const hostile: [string, string][] = [
    ['<script>alert(1)</script>text', 'text'],
    ['<img src="x" onerror="alert(1)">', '<img src="x">'],
    ['<a href="javascript:alert(1)">x</a>', '<a rel="noreferrer noopener">x</a>'],
    ['<a href=" java\nscript:alert(1)">x</a>', '<a rel="noreferrer noopener">x</a>'],
    ['<svg onload="alert(1)"></svg>', ''],
    ['<style>body{display:none}</style>', ''],
    ['<b style="position:fixed">x</b>', '<b>x</b>'],
    ['<custom-thing><i>x</i></custom-thing>', '<i>x</i>'],
    ['<iframe src="https://example.com"></iframe>', ''],
    ['<a href="data:image/svg+xml,<svg onload=alert(1)>">x</a>', '<a rel="noreferrer noopener">x</a>'],
    ['<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>', ''],
    ['<form action="https://example.com"><input name="password"></form>', ''],
    ['<img src="data:text/html,<script>alert(1)</script>">', '<img>'],
  ];
  for (const [html, clean] of hostile) {
    it(`turns ${JSON.stringify(html)} into ${JSON.stringify(clean)}`, () => expect(safeHTML(html)).toBe(clean));
  }
});
