import type { Clock } from './clock.ts';

/** A queue of items, which readers can wait for. When there are too many, the oldest unread ones are dropped. */
export interface Inbox<Item> {
  put(item: Item): void;
  /** The oldest unread item. Rejects when none arrives within `timeoutMs`, or when the inbox closes. */
  take(timeoutMs: number): Promise<Item>;
  close(): void;
}

const room = 100;

/** `complaint` is the beginning of the error message: `gateway x got no downlink`. */
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
