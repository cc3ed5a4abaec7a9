import { facts } from 'virtual:sign-in-facts';
import type * as contract from '@hilltop/contract';

type Contract = typeof contract;

/** The name of a contract message that a form can edit. */
export type MessageName = { [M in keyof Contract]: Contract[M] extends contract.Message ? M : never }[keyof Contract];

/** The field paths of a value: `name`, `location.latitude`, `boards.0.fpgaID`. Keys of a map are not paths. */
type PathIn<T> = T extends readonly (infer Item)[]
  ? `${number}` | `${number}.${PathIn<Item>}`
  : T extends object
    ? string extends keyof T
      ? never
      : { [K in keyof T & string]: K | `${K}.${PathIn<NonNullable<T[K]>>}` }[keyof T & string]
    : never;

/** The path of a field in a message of the contract. */
export type FieldName = { [M in MessageName]: PathIn<contract.ValueOf<Contract[M]>> }[MessageName];

/** An operation of the contract: `device.getKeys`. */
export type OperationName = {
  [R in keyof contract.Operations]: `${R}.${keyof contract.Operations[R] & string}`;
}[keyof contract.Operations];

/** What the contract declares about a field, merged with its rules for forms. */
export interface FieldFacts {
  kind: string;
  label: string;
  help?: string;
  unit?: string;
  /** Rendered hidden: passwords and keys. */
  secret?: boolean;
  /** Secret while another field of the message matches this text, ignoring case. */
  secretWhen?: { field: string; matches: string };
  /** The names of an enumeration, in order. */
  names?: readonly string[];
  /** Can be set only when the object is created. */
  fixed?: boolean;
  required?: boolean;
  requiredWhen?: { field: string; is: string | number | boolean };
  min?: number;
  max?: number;
  minLength?: number;
  maxLength?: number;
  /** The most bytes of a file. */
  maxBytes?: number;
  pattern?: string;
  /** The error text for a value that does not match the pattern. */
  message?: string;
  choices?: readonly { value: string | number; label: string }[];
}

type Declared = Omit<FieldFacts, 'label'> & { label?: string; form?: Partial<FieldFacts>; of?: string };

let messages = facts.messages;

/** Adds messages that the console loads after sign-in. */
export function addMessages(more: typeof messages): void {
  messages = { ...messages, ...more };
}

/** The facts of a field by its path in a message; `boards.0.fpgaID` is looked up in the message of the list's items. */
export function factsOf(message: MessageName, path: FieldName): FieldFacts {
  return declaredAt(message, path);
}

function declaredAt(message: string, path: string): FieldFacts {
  const [name = '', ...rest] = path.split('.').filter((part) => !/^\d+$/.test(part));
  const declared: Declared | undefined = messages[message]?.[name];
  if (!declared) throw new Error(`The contract has no field ${name} in ${message}.`);
  if (declared.of && rest.length > 0) return declaredAt(declared.of, rest.join('.'));
  const { form, ...own } = declared;
  return { label: name, ...own, ...form };
}

/** The fields of a message. */
export const fieldsOf = (message: MessageName): FieldName[] => Object.keys(messages[message] ?? {}) as FieldName[];
