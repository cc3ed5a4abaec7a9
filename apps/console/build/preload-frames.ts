import type { Plugin } from 'vite';

/** One of them is the first thing drawn; the shell is made of parts of the sign-in, so it needs both. */
const frames = new Set(['login', 'shell']);

/** Names the files of the frames in the page, so that browsers fetch them beside the entry and not after running it. */
export function preloadFrames(): Plugin {
  return {
    name: 'hilltop:preload-frames',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { bundle = {} }) =>
        Object.values(bundle)
          .filter((file) => file.type === 'chunk' && frames.has(file.name))
          .map(({ fileName }) => ({
            tag: 'link',
            attrs: { rel: 'modulepreload', crossorigin: true, href: `/${fileName}` },
            injectTo: 'head' as const,
          })),
    },
  };
}
