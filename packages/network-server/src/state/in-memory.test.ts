import { describeState } from './conformance.ts';
import { createInMemoryState } from './in-memory.ts';

describeState('in-memory state', async () => {
  const happened = new Set<object>();
  return {
    state: createInMemoryState({ apply: (effect) => happened.add(effect) }),
    effect() {
      const effect = { about: 'test' };
      return { effect, happened: () => happened.has(effect) };
    },
    close: async () => undefined,
  };
});
