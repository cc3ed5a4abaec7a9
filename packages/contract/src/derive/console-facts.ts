/** The facts that the console needs at run time, as plain JSON created by its build: access cases and form rules. */
import type { Access, Effect } from '../access.ts';
import type { IntegrationKind } from '../integrations/kind.ts';
import { type IntegrationKindName, integrationKinds } from '../integrations/kinds.ts';
import { kinds } from '../kinds.ts';
import { allOperations } from '../operations.ts';
import type { Facts, Field, Message } from '../wire.ts';

/** The pattern of a list is that of its items. */
export interface FieldFacts extends Omit<Facts, 'proto'> {
  readonly kind: Field['kind'];
  /** Names of an enumeration, in order. */
  readonly names?: readonly string[];
  /** Short name of the message of a sub-object or of the items of a list. */
  readonly of?: string;
  /** Kind of the items of a list or of the values of a map. */
  readonly items?: Field['kind'];
}

export type MessageFacts = Readonly<Record<string, FieldFacts>>;

export interface ConsoleFacts {
  /** By operation key, such as `device.update`; `effect` only where it is not `read`. */
  readonly operations: Readonly<Record<string, { readonly access: Access; readonly effect?: Effect }>>;
  /** By message name without its package, such as `Device`; only messages that requests can contain. */
  readonly messages: Readonly<Record<string, MessageFacts>>;
  /** Kinds of integration in the order of the console. */
  readonly integrations: readonly IntegrationFacts[];
}

export interface IntegrationFacts extends Omit<IntegrationKind, 'kind' | 'config' | 'problemsOf' | 'tidied'> {
  readonly kind: IntegrationKindName;
  /** Short name of the message with its settings. */
  readonly config: string;
}

function shortName({ name }: Message): string {
  return name.slice(name.lastIndexOf('.') + 1);
}

function factsOf(field: Field): FieldFacts {
  const { proto: _, ...facts } = field.facts;
  const range = field.kind in kinds ? kinds[field.kind as keyof typeof kinds].range : undefined;
  const of = field.message ?? field.of?.message;
  const { pattern, message } = field.of?.facts ?? {};
  return {
    kind: field.kind,
    ...(field.kind === 'list' && pattern !== undefined && message !== undefined && { pattern, message }),
    ...(range && { min: range[0], max: range[1] }),
    ...facts,
    ...(field.enumeration && { names: field.enumeration.names }),
    ...(of && { of: shortName(of) }),
    ...(field.of && { items: field.of.kind }),
  };
}

function messagesOfRequests(): Record<string, MessageFacts> {
  const messages: Record<string, MessageFacts> = {};
  const visit = (of: Message): void => {
    if (messages[shortName(of)]) return;
    const entries = Object.entries(of.fields).map(([name, field]) => [name, factsOf(field)] as const);
    messages[shortName(of)] = Object.fromEntries(entries);
    for (const { message, of: items } of Object.values(of.fields)) {
      const inner = message ?? items?.message;
      if (inner) visit(inner);
    }
  };
  for (const { method, request } of allOperations) {
    if (method === 'POST' || method === 'PUT') visit(request);
  }
  return messages;
}

export const consoleFacts: ConsoleFacts = {
  operations: Object.fromEntries(
    allOperations.map(({ key, access, effect }) => [key, { access, ...(effect !== 'read' && { effect }) }]),
  ),
  messages: messagesOfRequests(),
  integrations: Object.values(integrationKinds).map((one) => {
    const { kind, path, rpc, label, sentence, ended, config }: IntegrationKind<IntegrationKindName> = one;
    return { kind, path, rpc, label, sentence, ...(ended && { ended }), config: shortName(config) };
  }),
};
