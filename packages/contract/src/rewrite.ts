/**
 * Converts values of messages: a table has a function for some kinds of fields, which is applied to every such field.
 */
import type { Field, Message } from './wire.ts';

type Json = Record<string, unknown>;
type Rewrite = (value: unknown) => unknown;

/**
 * Converts messages by the kinds of their fields, in copies; null for a message that has none of these kinds anywhere.
 * The fields are walked once for each message.
 */
export function rewriting(byKind: Partial<Record<Field['kind'], Rewrite>>): (of: Message) => Rewrite | null {
  const known = new WeakMap<Message, Rewrite | null>();

  function ofField({ kind, message, of }: Field): Rewrite | null {
    const own = byKind[kind];
    if (own) return own;
    if (message) return ofMessage(message);
    const rewrite = of && ofField(of);
    return rewrite ? (value) => (Array.isArray(value) ? value.map(rewrite) : value) : null;
  }

  function ofMessage(message: Message): Rewrite | null {
    const found = known.get(message);
    if (found !== undefined) return found;
    const members = Object.entries(message.fields).flatMap(([name, field]) => {
      const rewrite = ofField(field);
      return rewrite ? [{ name, rewrite }] : [];
    });
    const made: Rewrite | null = members.length === 0 ? null : (value) => rewritten(value, members);
    known.set(message, made);
    return made;
  }

  return ofMessage;
}

function rewritten(value: unknown, members: readonly { name: string; rewrite: Rewrite }[]): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const copy: Json = { ...value };
  for (const { name, rewrite } of members) if (name in copy) copy[name] = rewrite(copy[name]);
  return copy;
}
