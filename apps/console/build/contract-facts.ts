import type { ConsoleFacts, MessageFacts } from '@hilltop/contract';
import type { Plugin } from 'vite';

/** Sign-in loads only its own facts, and only the integration screens load the facts of integrations. */
const isOfSignIn = (message: string) => message === 'LoginRequest';
const isOfIntegration = (message: string) => /Integration|Deliver|Replay|DeadLetters|SendAgain|Secret/.test(message);

const parts: Record<string, (facts: ConsoleFacts) => object> = {
  'virtual:sign-in-facts': ({ messages }) => ({ messages: only(messages, isOfSignIn) }),
  'virtual:contract-facts': ({ operations, messages }) => ({
    operations,
    messages: only(messages, (name) => !isOfSignIn(name) && !isOfIntegration(name)),
  }),
  'virtual:integration-facts': ({ integrations, messages }) => ({
    integrations,
    messages: only(messages, isOfIntegration),
  }),
};

function only(messages: Readonly<Record<string, MessageFacts>>, isWanted: (name: string) => boolean) {
  return Object.fromEntries(Object.entries(messages).filter(([name]) => isWanted(name)));
}

/**
 * Provides the parts of the contract that the console needs at run time (labels, limits, access rules) as plain JSON.
 * They are computed at build time, so the schemas themselves are never sent to the browser.
 */
export function contractFacts(): Plugin {
  return {
    name: 'hilltop:contract-facts',
    resolveId: (id) => (id in parts ? `\0${id}` : undefined),
    async load(id) {
      const part = parts[id.slice(1)];
      if (!id.startsWith('\0') || !part) return undefined;
      const { consoleFacts } = await import('@hilltop/contract/console-facts');
      return `export const facts = JSON.parse(${JSON.stringify(JSON.stringify(part(consoleFacts)))});`;
    },
  };
}
