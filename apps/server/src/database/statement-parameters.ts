import type { ElementType } from './postgres-array.ts';

/** `json` is any object, which is bound as JSON text. A type with `?` may be null. */
export type ParameterType = ElementType | `${ElementType}?` | 'json';

export type ParameterTypes = Readonly<Record<string, ParameterType>>;

interface Values {
  text: string;
  bytea: Uint8Array;
  int8: number;
  float8: number;
  bool: boolean;
  timestamptz: Date;
  json: object;
}

type ValueOf<Type> = Type extends `${infer Known extends ElementType}?`
  ? Values[Known] | null
  : Values[Type & keyof Values];

/** What a statement with these parameters is given. */
export type ArgumentsOf<Types extends ParameterTypes> = { readonly [Name in keyof Types]: ValueOf<Types[Name]> };

/** The type of a list of such values on PostgreSQL. */
export const elementTypeOf = (type: ParameterType): ElementType =>
  type === 'json' ? 'text' : (type.replace('?', '') as ElementType);
