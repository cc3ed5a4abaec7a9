import type { Plugin } from 'vite';

/**
 * Adds preload links for the sign-in and shell chunks to index.html, so that browsers fetch them in parallel with the
 * entry. Sign-in is always preloaded; `public/first.js` preloads the shell when a session token is stored.
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
        const first = 'src="/first.js"';
        if (!html.includes(first)) throw new Error('index.html does not load first.js.');
        return {
          html: html.replace(first, `${first} data-shell="${addressOf('shell')}"`),
          tags: [
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
