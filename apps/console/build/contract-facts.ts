import type { Plugin } from 'vite';

const name = 'virtual:contract-facts';

/**
 * What the console must know of the contract at run time (labels, limits, access cases) as plain JSON,
 * worked out once when the console is built, so that the schemas themselves never travel to a browser.
 */
export function contractFacts(): Plugin {
  return {
    name: 'hilltop:contract-facts',
    resolveId: (id) => (id === name ? `\0${name}` : undefined),
    async load(id) {
      if (id !== `\0${name}`) return undefined;
      const { consoleFacts } = await import('@hilltop/contract/console-facts');
      return `export const facts = JSON.parse(${JSON.stringify(JSON.stringify(consoleFacts))});`;
    },
  };
}
