import { Worker } from 'node:worker_threads';
import type { WriterMessage } from '../database/sqlite-writer.ts';

/** The threads that write to SQLite, in the order in which they were started since the call. Dispose it to stop. */
export function watchWriterThreads(): { started: Worker[]; [Symbol.dispose]: () => void } {
  const started: Worker[] = [];
  const { postMessage } = Worker.prototype;
  Worker.prototype.postMessage = function (this: Worker, ...given: Parameters<typeof postMessage>) {
    if ((given[0] as Partial<WriterMessage>).kind === 'write' && !started.includes(this)) started.push(this);
    return postMessage.apply(this, given);
  };
  return { started, [Symbol.dispose]: () => (Worker.prototype.postMessage = postMessage) };
}
