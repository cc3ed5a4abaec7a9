import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { bind } from './sqlite-statements.ts';
import { triggersOf } from './triggers.ts';
import type { PreparedResult, PreparedStatement } from './unit.ts';
import { Unreachable } from './unreachable.ts';
import type { Watch, WatchedTable } from './watch.ts';

export type WriterMessage =
  /** `calls` has, for each statement: the number of its text, `mustChange`, the number of its parameters, and these. */
  | { kind: 'write'; newTexts: readonly string[]; calls: readonly unknown[] }
  | { kind: 'watch'; number: number; reporter: string; triggers: string }
  | { kind: 'shrink' | 'close' };

/**
 * Results of all statements, and pairs of the number of a watch and the key of a row. Undefined: nothing was written.
 */
export type WriterReply = { results: PreparedResult[]; reports: (number | string | null)[] } | undefined;

interface RowWatch {
  sources: readonly WatchedTable[];
  onChange: (key: string | null) => void;
  /** Made while a batch was written, whose rows it does not report. */
  isLate: boolean;
}

/** After the thread ended, the main thread writes for this time. */
const restartAfterMs = 200;

/**
 * The thread that writes batches of prepared statements to SQLite. One batch at a time: the caller has the writer. When
 * the thread ends, it is unknown whether the batch under way was written; the next one starts another thread.
 */
export class SQLiteWriter {
  readonly #path: string;
  readonly #mostLogPages: number;
  readonly #onEnded: (() => void) | undefined;
  readonly #watches: RowWatch[] = [];
  #worker: Worker | undefined;
  #numbers = new Map<string, number>();
  #isWriting = false;
  #isClosing = false;
  #endedAt = Number.NEGATIVE_INFINITY;

  constructor(path: string, { mostLogPages, onEnded }: { mostLogPages: number; onEnded?: (() => void) | undefined }) {
    this.#path = path;
    this.#mostLogPages = mostLogPages;
    this.#onEnded = onEnded;
  }

  isReady(): boolean {
    return this.#worker !== undefined || performance.now() - this.#endedAt >= restartAfterMs;
  }

  /** The results when they are committed; undefined when nothing was written. Rejects when that is unknown. */
  async write(statements: readonly PreparedStatement[]): Promise<PreparedResult[] | undefined> {
    const worker = (this.#worker ??= this.#start());
    const reply = Promise.withResolvers<WriterReply>();
    const end = () => reply.reject(new Unreachable(new Error('The thread that writes to the database ended.')));
    worker.once('message', reply.resolve);
    worker.once('exit', end);
    this.#isWriting = true;
    worker.ref();
    try {
      this.#send(worker, this.#messageOf(statements));
      const written = await reply.promise;
      if (written) this.#report(written.reports);
      return written?.results;
    } catch (error) {
      this.#reportAll();
      throw error;
    } finally {
      worker.off('message', reply.resolve);
      worker.off('exit', end);
      this.#isWriting = false;
      worker.unref();
    }
  }

  /** Reports the rows that batches change, when they are committed. */
  readonly watch: Watch = (sources, onChange) => {
    this.#watches.push({ sources, onChange, isLate: this.#isWriting });
    if (this.#worker) this.#sendWatch(this.#worker, this.#watches.length - 1);
  };

  releaseMemory(): void {
    if (this.#worker) this.#send(this.#worker, { kind: 'shrink' });
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    if (!this.#worker) return;
    const ended = once(this.#worker, 'exit');
    this.#worker.ref();
    this.#send(this.#worker, { kind: 'close' });
    await ended;
  }

  #start(): Worker {
    const worker = new Worker(new URL('writer-thread.ts', import.meta.url), {
      workerData: { path: this.#path, mostLogPages: this.#mostLogPages },
    });
    worker.unref();
    // 'exit' follows.
    worker.on('error', () => undefined);
    worker.once('exit', () => {
      this.#worker = undefined;
      this.#endedAt = performance.now();
      if (!this.#isClosing) this.#onEnded?.();
    });
    this.#numbers = new Map();
    for (const number of this.#watches.keys()) this.#sendWatch(worker, number);
    return worker;
  }

  #send(worker: Worker, message: WriterMessage): void {
    worker.postMessage(message);
  }

  #sendWatch(worker: Worker, number: number): void {
    const reporter = `report_${number}`;
    const triggers = this.#watches[number]!.sources.map((source) => triggersOf(reporter, source)).join('');
    this.#send(worker, { kind: 'watch', number, reporter, triggers });
  }

  #messageOf(statements: readonly PreparedStatement[]): WriterMessage {
    const newTexts: string[] = [];
    const calls: unknown[] = [];
    for (const { query, mustChange } of statements) {
      let number = this.#numbers.get(query.sql);
      if (number === undefined) {
        number = this.#numbers.size;
        this.#numbers.set(query.sql, number);
        newTexts.push(query.sql);
      }
      calls.push(number, mustChange, query.parameters.length, ...query.parameters.map(bind));
    }
    return { kind: 'write', newTexts, calls };
  }

  #report(reports: readonly (number | string | null)[]): void {
    for (let at = 0; at < reports.length; at += 2)
      this.#watches[reports[at] as number]!.onChange(reports[at + 1] as string | null);
    for (const watch of this.#watches) if (watch.isLate) watch.onChange(null);
    for (const watch of this.#watches) watch.isLate = false;
  }

  #reportAll(): void {
    for (const { onChange } of this.#watches) onChange(null);
  }
}
