import { mock } from 'node:test';
import { Worker } from 'node:worker_threads';
import type { WriterMessage } from '../database/sqlite-writer.ts';

/** The threads that have written to SQLite since the call, in the order in which they began. Dispose it to stop. */
export function watchWriterThreads(): { readonly started: Worker[]; [Symbol.dispose]: () => void } {
  const { mock: watched } = mock.method(Worker.prototype, 'postMessage');
  return {
    get started() {
      const writing = watched.calls.filter(
        ({ arguments: [message] }) => (message as Partial<WriterMessage>).kind === 'write',
      );
      return [...new Set(writing.map((call) => call.this as Worker))];
    },
    [Symbol.dispose]: () => watched.restore(),
  };
}
