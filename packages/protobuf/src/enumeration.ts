/**
 * A protobuf enum as a table: `enumeration('gw.CRCStatus', { NO_CRC: 0, BAD_CRC: 1, CRC_OK: 2 })`. Code uses names;
 * `numbers` and `names` convert at the boundaries.
 */
export type Enumeration<Name extends string = string> = {
  readonly kind: 'enum';
  readonly typeName: string;
  readonly numbers: Readonly<Record<Name, number>>;
  readonly names: ReadonlyMap<number, Name>;
  /** The name with number 0: the value of an unset member. */
  readonly zero: Name;
};

export type EnumOf<E> = E extends Enumeration<infer Name> ? Name : never;

export function enumeration<const Numbers extends Record<string, number>>(
  typeName: string,
  numbers: Numbers,
): Enumeration<keyof Numbers & string> {
  const names = new Map<number, keyof Numbers & string>();
  for (const [name, number] of Object.entries(numbers)) names.set(number, name);
  const zero = names.get(0);
  if (zero === undefined) throw new Error(`${typeName} has no member with number 0`);
  return { kind: 'enum', typeName, numbers, names, zero };
}
