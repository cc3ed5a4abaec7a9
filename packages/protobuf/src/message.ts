/**
 * Protobuf messages as tables. The key is the member's JSON name, the tuple its field number, its kind and, where
 * needed, its oneof and a proto name that does not follow from the JSON name:
 *
 *     export const LoRaInfo = message('gw.Info', { gatewayID: [1, 'bytes'], lora: [2, LoRa, { oneof: 'modulation' }] });
 *     export type LoRaInfo = MessageOf<typeof LoRaInfo>;
 */
import type { Enumeration } from './enumeration.ts';

export type ScalarValues = {
  double: number;
  float: number;
  int32: number;
  uint32: number;
  int64: string;
  uint64: string;
  bool: boolean;
  string: string;
  bytes: Uint8Array;
};
export type Scalar = keyof ScalarValues;

/**
 * A point in time. A plain `Date` is enough; one with `nanoseconds` (0 to 999,999, below its millisecond) has the
 * precision of GPS fine timestamps.
 */
export type Timestamp = Date & { readonly nanoseconds?: number };

export type Single = Scalar | Enumeration | Message;
export type Repeated<Item extends Single = Single> = { readonly kind: 'repeated'; readonly item: Item };
export type MapKey = 'string' | 'uint32';
export type MapOf<Value extends Scalar = Scalar> = {
  readonly kind: 'map';
  readonly key: MapKey;
  readonly value: Value;
};
export type Kind = Single | 'timestamp' | 'duration' | Repeated | MapOf;

export type FieldOptions = { readonly oneof?: string; readonly proto?: string };
export type Field = readonly [number: number, kind: Kind, options?: FieldOptions];
export type Fields = { readonly [jsonName: string]: Field };

export type Message<F extends Fields = Fields> = {
  readonly kind: 'message';
  readonly typeName: string;
  readonly fields: F;
};

export function message<const F extends Fields>(typeName: string, fields: F): Message<F> {
  return { kind: 'message', typeName, fields };
}

export function repeated<const Item extends Single>(item: Item): Repeated<Item> {
  return { kind: 'repeated', item };
}

export function map<const Value extends Scalar>(key: MapKey, value: Value): MapOf<Value> {
  return { kind: 'map', key, value };
}

/** The proto (snake case) name of a member, derived from its JSON name unless the table has one. */
export function protoName(jsonName: string, options?: FieldOptions): string {
  if (options?.proto) return options.proto;
  return jsonName
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .replace(/([a-z])(\d)/g, '$1_$2')
    .toLowerCase();
}

type Chosen = readonly [number, Kind, { readonly oneof: string }];

type SingleValue<K> = K extends Scalar
  ? ScalarValues[K]
  : K extends Enumeration<infer Name>
    ? Name
    : K extends Message
      ? MessageOf<K>
      : never;

type Value<K> = K extends 'timestamp'
  ? Timestamp | null
  : K extends 'duration'
    ? number | null
    : K extends Repeated<infer Item>
      ? SingleValue<Item>[]
      : K extends MapOf<infer V>
        ? Record<string, ScalarValues[V]>
        : K extends Message
          ? MessageOf<K> | null
          : SingleValue<K>;

type FieldValues<F extends Fields> = {
  -readonly [K in keyof F as F[K] extends Chosen ? never : K]: Value<F[K][1]>;
} & {
  -readonly [K in keyof F as F[K] extends Chosen ? K : never]?: NonNullable<Value<F[K][1]>> | undefined;
};

type Flat<T> = { [K in keyof T]: T[K] };

/**
 * The TypeScript value of a message. Bytes are `Uint8Array` (unset = empty), Timestamp `Date | null`, Duration
 * milliseconds or null, 64-bit integers decimal text, enums their names, sub-messages `T | null`; members of a oneof
 * are optional and at most one of them is present.
 */
export type MessageOf<M> = M extends Message<infer F> ? Flat<FieldValues<F>> : never;

type InitSingle<K> = K extends Message ? InitOf<K> : SingleValue<K>;
type InitValue<K> =
  K extends Repeated<infer Item>
    ? readonly InitSingle<Item>[]
    : K extends Message
      ? InitOf<K> | null
      : K extends 'timestamp' | 'duration' | MapOf
        ? Value<K>
        : SingleValue<K>;

/** The input of `create`: any of the members, sub-messages may be partial. */
export type InitOf<M> =
  M extends Message<infer F> ? { readonly [K in keyof F]?: InitValue<F[K][1]> | undefined } : never;
