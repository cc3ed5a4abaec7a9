import type { Plugin } from 'vite';

/**
 * Adds preload links for the typeface, sign-in, routes and shell to index.html, so that browsers fetch them in parallel
 * with the entry. Sign-in is always preloaded; `public/first.js` preloads the others when a session token is stored.
 */
export function preloadFrames(): Plugin {
  return {
    name: 'hilltop:preload-frames',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle = {} }) {
        const addressOf = (frame: string) => {
          const file = Object.values(bundle).find((one) => one.type === 'chunk' && one.name === frame);
          if (!file) throw new Error(`The build has no file ${frame}: see chunks.ts.`);
          return `/${file.fileName}`;
        };
        const font = Object.keys(bundle).find((file) => file.includes('inter-latin-wght-normal'));
        if (font === undefined) throw new Error('The build has no typeface: see typeface.css.');
        const first = 'src="/first.js"';
        if (!html.includes(first)) throw new Error('index.html does not load first.js.');
        return {
          html: html.replace(first, `${first} data-signed-in="${addressOf('routes')} ${addressOf('shell')}"`),
          tags: [
            {
              tag: 'link',
              attrs: { rel: 'preload', as: 'font', type: 'font/woff2', crossorigin: true, href: `/${font}` },
              injectTo: 'head',
            },
            {
              tag: 'link',
              attrs: { rel: 'modulepreload', crossorigin: true, href: addressOf('login') },
              injectTo: 'head',
            },
          ],
        };
      },
    },
  };
}
