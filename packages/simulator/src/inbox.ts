import type { Clock } from './clock.ts';

/**
 * A queue of items for readers who may wait before an item arrives; the oldest unread ones are dropped when there are
 * too many.
 */
export interface Inbox<Item> {
  put(item: Item): void;
  /** The oldest unread item. Rejects when none comes within `timeoutMs`, or the inbox closes. */
  take(timeoutMs: number): Promise<Item>;
  close(): void;
}

const room = 100;

/** `complaint` begins the sentence of a rejection: `gateway x got no downlink`. */
export function createInbox<Item>(clock: Clock, complaint: string): Inbox<Item> {
  const items: Item[] = [];
  const readers: PromiseWithResolvers<Item>[] = [];
  return {
    put(item) {
      const reader = readers.shift();
      if (reader) reader.resolve(item);
      else if (items.push(item) > room) items.shift();
    },
    async take(timeoutMs) {
      if (items.length > 0) return items.shift()!;
      const reader = Promise.withResolvers<Item>();
      readers.push(reader);
      const cancel = clock.after(timeoutMs, () => {
        readers.splice(readers.indexOf(reader), 1);
        reader.reject(new Error(`${complaint} within ${timeoutMs} ms`));
      });
      return reader.promise.finally(cancel);
    },
    close() {
      for (const reader of readers.splice(0)) reader.reject(new Error(`${complaint} before it stopped`));
    },
  };
}
