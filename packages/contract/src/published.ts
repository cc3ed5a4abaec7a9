/** Messages of the network for the API, derived from the tables of the protobuf package. */
import {
  type JsonOf,
  type Field as ProtoField,
  type Kind as ProtoKind,
  type Message as ProtoMessage,
  protoName,
} from '@hilltop/protobuf';
import { Location } from './location.ts';
import { namesOf } from './names.ts';
import { type Field, type Message, message } from './wire.ts';

type Member<Value, Row> = Row extends readonly [number, ProtoKind, { readonly oneof: string }]
  ? Field<NonNullable<Value>> & { readonly oneof: true }
  : Field<Value>;

/** The message in the form of the contract; its value is the JSON of the table. */
export type Published<M extends ProtoMessage> = Message<{
  readonly [Name in keyof M['fields'] & keyof JsonOf<M>]: Member<JsonOf<M>[Name], M['fields'][Name]>;
}>;

/** Messages that are also in requests have labels and limits, and are declared in the contract. */
const made = new Map<string, Message>([[Location.name, Location]]);

export function published<M extends ProtoMessage>(of: M): Published<M> {
  let known = made.get(of.typeName);
  if (!known) {
    const members = Object.entries(of.fields).map(([name, row]) => [name, memberOf(name, row)] as const);
    const numbers = Object.values(of.fields).map(([number]) => number);
    known = message(of.typeName, Object.fromEntries(members), numbers);
    made.set(of.typeName, known);
  }
  return known as Published<M>;
}

function memberOf(name: string, [, kind, options]: ProtoField): Field {
  const facts = { proto: protoName(name, options) };
  return { ...fieldOf(kind), facts, ...(options?.oneof !== undefined && { oneof: true }) };
}

function fieldOf(kind: ProtoKind): Field {
  if (typeof kind === 'string') return { kind: kind === 'string' ? 'text' : kind, facts: {} };
  switch (kind.kind) {
    case 'message':
      return { kind: 'message', facts: {}, message: published(kind) };
    case 'enum':
      return { kind: 'enumeration', facts: {}, enumeration: namesOf(kind) };
    case 'repeated':
      return { kind: 'list', facts: {}, of: fieldOf(kind.item) };
    case 'map':
      return { kind: 'map', facts: {}, keys: kind.key === 'string' ? 'text' : kind.key, of: fieldOf(kind.value) };
  }
}
