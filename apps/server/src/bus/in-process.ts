import type { Bus } from './bus.ts';

type Listener = (payload: never) => void;

/** The bus of a single process. It calls listeners after the current task of the publisher. */
export function inProcessBus(onError: (error: unknown) => void): Bus {
  const listeners = new Map<string, Set<Listener>>();
  const handlers = new Map<string, (asked: never) => unknown>();

  function deliver(listener: Listener, payload: unknown) {
    try {
      listener(payload as never);
    } catch (error) {
      onError(error);
    }
  }

  return {
    publish(topic, key, payload) {
      const topicListeners = listeners.get(`${topic} ${key}`);
      if (topicListeners) queueMicrotask(() => topicListeners.forEach((listener) => deliver(listener, payload)));
    },
    changeCount: () => 0,
    confirmed: () => undefined,
    subscribe(topic, key, listener) {
      const address = `${topic} ${key}`;
      const topicListeners = listeners.get(address) ?? new Set();
      listeners.set(address, topicListeners);
      topicListeners.add(listener);
      return Promise.resolve(() => {
        topicListeners.delete(listener);
        if (topicListeners.size === 0 && listeners.get(address) === topicListeners) listeners.delete(address);
      });
    },
    subscribeToPeers: () => Promise.resolve(() => undefined),
    answer(question, handler) {
      handlers.set(question, handler);
      return () => void handlers.delete(question);
    },
    async ask(_instanceID, question, asked) {
      try {
        return (await handlers.get(question)?.(asked as never)) as never;
      } catch (error) {
        onError(error);
        return undefined;
      }
    },
    askPeers: () => Promise.resolve([]),
    close() {
      listeners.clear();
      return Promise.resolve();
    },
  };
}
