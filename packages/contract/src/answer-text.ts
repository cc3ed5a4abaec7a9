/** Writes responses: a message from our own code as JSON text. */
import { rewriting } from './rewrite.ts';
import type { Message, ValueOf } from './wire.ts';
import { writtenTime } from './written-time.ts';

const rewriteOf = rewriting({
  timestamp: (value) => (typeof value === 'string' ? writtenTime(value) : value),
});

/** Writes the JSON text of this message. */
export function answerText<M extends Message>(of: M, value: ValueOf<M>): string {
  const rewrite = rewriteOf(of);
  return JSON.stringify(rewrite ? rewrite(value) : value);
}
