/** Writes answers: a message from our own code as JSON text. */
import type { Field, Message, ValueOf } from './wire.ts';

type Json = Record<string, unknown>;
type Write = (value: unknown) => unknown;

const writers = new WeakMap<Message, Write | null>();

/** Proto3 JSON writes times with 0, 3, 6 or 9 digits of a second: whole seconds have none. */
function writeTime(value: unknown): unknown {
  return typeof value === 'string' && value.endsWith('.000Z') ? `${value.slice(0, -5)}Z` : value;
}

/** What writes a field; null when it stays as it is. */
function writerOfField({ kind, message, of }: Field): Write | null {
  if (kind === 'timestamp') return writeTime;
  if (message) return writerOf(message);
  const write = of && writerOfField(of);
  return write ? (value) => (Array.isArray(value) ? value.map(write) : value) : null;
}

function writerOf(message: Message): Write | null {
  const known = writers.get(message);
  if (known !== undefined) return known;
  const members = Object.entries(message.fields).flatMap(([name, field]) => {
    const write = writerOfField(field);
    return write ? [{ name, write }] : [];
  });
  const writer: Write | null = members.length === 0 ? null : (value) => written(value, members);
  writers.set(message, writer);
  return writer;
}

function written(value: unknown, members: readonly { name: string; write: Write }[]): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const copy: Json = { ...value };
  for (const { name, write } of members) if (name in copy) copy[name] = write(copy[name]);
  return copy;
}

/** The JSON text of a message of this kind. */
export function answerText<M extends Message>(of: M, value: ValueOf<M>): string {
  const write = writerOf(of);
  return JSON.stringify(write ? write(value) : value);
}
