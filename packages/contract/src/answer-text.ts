/** Writes responses: a message from our own code as JSON text. */
import { rewriting } from './rewrite.ts';
import type { Message, ValueOf } from './wire.ts';

/** Proto3 JSON writes times with 0, 3, 6 or 9 digits of a second: whole seconds have none. */
const rewriteOf = rewriting({
  timestamp: (value) => (typeof value === 'string' && value.endsWith('.000Z') ? `${value.slice(0, -5)}Z` : value),
});

/** Writes the JSON text of this message. */
export function answerText<M extends Message>(of: M, value: ValueOf<M>): string {
  const rewrite = rewriteOf(of);
  return JSON.stringify(rewrite ? rewrite(value) : value);
}
