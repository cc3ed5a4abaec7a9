import { ApiError, emptyValue, type Field, type Message, parseMessage } from '@hilltop/contract';

/**
 * The first problem that the contract finds in values of version 3, as a sentence; undefined if it accepts them.
 * `values` has fields of the message.
 */
export function problemWith(of: Message, values: Readonly<Record<string, unknown>>): string | undefined {
  const part = partOf(of, Object.keys(values));
  try {
    parseMessage(part, values);
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { field, description } = error.fieldViolations[0]!;
    const [name = ''] = /^\w+/.exec(field) ?? [];
    return description.replace(/^Must /, `${part.fields[name]?.facts.label ?? name} must `);
  }
}

const parts = new WeakMap<Message, Map<string, Message>>();

/**
 * The message with these fields only. Cached, because the parser of a message is created once for each message object.
 */
function partOf(of: Message, names: readonly string[]): Message {
  const known = parts.get(of) ?? new Map<string, Message>();
  parts.set(of, known);
  const part = known.get(names.join()) ?? {
    ...of,
    fields: Object.fromEntries(names.map((name) => [name, of.fields[name]!])),
  };
  known.set(names.join(), part);
  return part;
}

/** Whether the field has no such choice. An empty text is never unknown. */
export const isUnknownChoice = ({ facts: { choices = [] } }: Field, given: string): boolean =>
  given !== '' && !choices.some(({ value }) => value === given);

/** Whether a value has the kind of the field, whatever limits the contract sets. */
export function isOfKind(value: unknown, field: Field): boolean {
  if (value === undefined || value === null) return true;
  if (field.enumeration) return field.enumeration.names.includes(value as string);
  if (field.kind === 'list') return Array.isArray(value) && value.every((item) => isOfKind(item, field.of!));
  if (field.message) {
    const members = Object.entries(field.message.fields);
    return typeof value === 'object' && members.every(([name, of]) => isOfKind((value as Given)[name], of));
  }
  return typeof value === typeof emptyValue(field);
}

type Given = Readonly<Record<string, unknown>>;
