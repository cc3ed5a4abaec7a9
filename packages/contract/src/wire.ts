/** Declarations of messages: fields with their facts, declared once for the server, forms and swagger. */
import type { Kind, KindValue } from './kinds.ts';

/** The facts of a field besides its kind. Forms show them, the server enforces them, swagger documents them. */
export interface Facts {
  readonly label?: string;
  readonly help?: string;
  readonly unit?: string;
  /** An empty value is refused, by the server (code 3) and by forms. */
  readonly required?: true;
  /** Like `required`, while another field of the same message has the given value. */
  readonly requiredWhen?: Condition;
  /** The end of a period: a time before the one in the given field of the same message is refused. */
  readonly notBefore?: string;
  /** `null` is refused and does not count as 0: in JSON, NaN and infinite numbers become null. */
  readonly notNull?: true;
  /** Set on creation only; an update ignores it. */
  readonly fixed?: true;
  /** Not shown in plain text: passwords and keys. */
  readonly secret?: true;
  /** Secret while another text of the same message matches, in any case. */
  readonly secretWhen?: { readonly field: string; readonly matches: string };
  /** A URL whose path can be a secret: logs, and people who may not change it, see only its server (`shownURL`). */
  readonly secretPath?: true;
  /** Limits of a number, or of a duration in seconds. */
  readonly min?: number;
  readonly max?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  /** A larger number counts as this one. */
  readonly clamp?: number;
  /** The most bytes. */
  readonly maxBytes?: number;
  /** The most entries of a map or list, and the longest name of a map entry. */
  readonly maxEntries?: number;
  readonly maxNameLength?: number;
  /** One query parameter may have several entries of the list, separated by commas. */
  readonly isCommaSeparated?: true;
  /** Regular expression for text that is not empty. */
  readonly pattern?: string;
  /** The sentence shown when the pattern does not match. */
  readonly message?: string;
  /** All valid texts, besides the empty one. */
  readonly values?: readonly string[];
  /** The choices of a form. The server accepts others as well. */
  readonly choices?: readonly Choice[];
  /** Rules for forms only. The server accepts more, so that existing scripts still work. */
  readonly form?: FormRules;
  /** The proto name, where it does not follow from the JSON name. */
  readonly proto?: string;
}

export interface Condition {
  readonly field: string;
  readonly is: string | number | boolean;
}

export interface Choice {
  readonly value: string | number;
  readonly label: string;
}

export interface FormRules {
  readonly required?: true;
  readonly requiredWhen?: Condition;
  readonly min?: number;
  readonly max?: number;
  readonly pattern?: string;
  readonly message?: string;
}

declare const valueType: unique symbol;

/** A field: plain data, with its TypeScript type `T`. */
export interface Field<T = unknown> {
  readonly kind: Kind | 'enumeration' | 'message' | 'list' | 'map';
  readonly facts: Facts;
  readonly enumeration?: Enumeration;
  readonly message?: Message;
  /** The element of a list or the value of a map. */
  readonly of?: Field;
  /** The kind of a map's keys, which are always text in JSON. */
  readonly keys?: 'text' | 'uint32';
  /**
   * Member of a proto oneof, or `optional` in proto3, which is a oneof of its own: omitted in JSON when it is not set.
   */
  readonly oneof?: true;
  readonly [valueType]?: T;
}

export interface Enumeration<Name extends string = string> {
  readonly name: string;
  /** The position is the number on the wire. */
  readonly names: readonly Name[];
}

export type Fields = Readonly<Record<string, Field>>;

export interface Message<F extends Fields = Fields> {
  /** Full proto name, such as `api.Device`. */
  readonly name: string;
  readonly fields: F;
  /** Proto field numbers in declaration order. */
  readonly numbers: readonly number[];
}

type TypeOf<F> = F extends Field<infer T> ? T : never;
type OneofKeys<F extends Fields> = { [K in keyof F]: F[K] extends { readonly oneof: true } ? K : never }[keyof F];

/** The value of a message in our code: every field present; unset messages, times and bytes are null. */
export type ValueOf<M> =
  M extends Message<infer F>
    ? { [K in Exclude<keyof F, OneofKeys<F>>]: TypeOf<F[K]> } & { [K in OneofKeys<F>]?: TypeOf<F[K]> }
    : never;

/** What a caller may send: any part of the value. */
export type PartOf<T> = T extends readonly (infer Item)[]
  ? readonly PartOf<Item>[]
  : T extends object
    ? { readonly [K in keyof T]?: PartOf<T[K]> | undefined }
    : T;

/** Declares a message. `numbers` are needed where proto numbers are not simply 1, 2, 3 ... */
export function message<const F extends Fields>(name: string, fields: F, numbers?: readonly number[]): Message<F> {
  return { name, fields, numbers: numbers ?? Object.keys(fields).map((_, index) => index + 1) };
}

function scalar<K extends Kind>(kind: K): (facts?: Facts) => Field<KindValue<K>> {
  return (facts = {}) => ({ kind, facts });
}

export const text = scalar('text');
export const bool = scalar('bool');
export const int32 = scalar('int32');
export const uint32 = scalar('uint32');
export const int64 = scalar('int64');
export const count = scalar('count');
export const float = scalar('float');
export const double = scalar('double');
export const bytes = scalar('bytes');
export const timestamp = scalar('timestamp');
export const duration = scalar('duration');
export const eui64 = scalar('eui64');
export const devAddr = scalar('devAddr');
export const aes128Key = scalar('aes128Key');
export const uuid = scalar('uuid');

/** Declares an enumeration with its full proto name; names are numbered from 0. */
export function enumeration<const Name extends string>(name: string, names: readonly Name[]): Enumeration<Name> {
  return { name, names };
}

export function oneOf<Name extends string>(of: Enumeration<Name>, facts: Facts = {}): Field<Name> {
  return { kind: 'enumeration', facts, enumeration: of };
}

/** A sub-object that may be unset, which is null. */
export function optional<M extends Message>(of: M, facts: Facts = {}): Field<ValueOf<M> | null> {
  return { kind: 'message', facts, message: of };
}

/** A sub-object that a request must have and a response always has. */
export function needed<M extends Message>(of: M, facts: Facts = {}): Field<ValueOf<M>> {
  return { kind: 'message', facts: { ...facts, required: true }, message: of };
}

/** One alternative of a proto oneof. */
export function alternative<M extends Message>(of: M): Field<ValueOf<M>> & { readonly oneof: true } {
  return { kind: 'message', facts: {}, message: of, oneof: true };
}

/**
 * A member of our own in a recorded message. An absent one changes nothing in requests, and is omitted in responses.
 */
export function ifGiven<T>(field: Field<T>): Field<T> & { readonly oneof: true } {
  return { ...field, oneof: true };
}

export function list<T>(of: Field<T>, facts: Facts = {}): Field<T[]> {
  return { kind: 'list', facts, of };
}

export function listOf<M extends Message>(of: M, facts: Facts = {}): Field<ValueOf<M>[]> {
  return { kind: 'list', facts, of: { kind: 'message', facts: {}, message: of } };
}

/** A map from text or numbers; its keys are text in JSON and in our code. */
export function map<T>(keys: 'text' | 'uint32', of: Field<T>, facts: Facts = {}): Field<Record<string, T>> {
  return { kind: 'map', facts, keys, of };
}

/** The proto name of a field: snake_case of its JSON name unless the facts say otherwise. */
export function protoName(name: string, field: Field): string {
  return (
    field.facts.proto ??
    name
      .replace('loRa', 'lora')
      .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
      .replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
      .toLowerCase()
  );
}
