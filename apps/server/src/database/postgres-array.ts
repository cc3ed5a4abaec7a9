/** The types of elements. */
export type ElementType = 'text' | 'bytea' | 'int8' | 'float8' | 'bool' | 'timestamptz';

interface Element {
  oid: number;
  /** The size in bytes. */
  sizeOf: (value: never) => number;
  write: (bytes: Buffer, value: never, at: number) => unknown;
}

const y2000 = Date.UTC(2000, 0, 1);
const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

/** The binary format of each type (`*_recv` in PostgreSQL's sources). */
const elements: Record<ElementType, Element> = {
  text: {
    oid: 25,
    sizeOf: (value) => Buffer.byteLength(textOf(value)),
    write: (bytes, value, at) => bytes.write(textOf(value), at),
  },
  bytea: {
    oid: 17,
    sizeOf: ({ byteLength }: ArrayBufferView) => byteLength,
    write: (bytes, value: Uint8Array, at) => bytes.set(value, at),
  },
  int8: { oid: 20, sizeOf: () => 8, write: (bytes, value: number, at) => bytes.writeBigInt64BE(BigInt(value), at) },
  float8: { oid: 701, sizeOf: () => 8, write: (bytes, value: number, at) => bytes.writeDoubleBE(value, at) },
  bool: { oid: 16, sizeOf: () => 1, write: (bytes, value: boolean, at) => bytes.writeUInt8(value ? 1 : 0, at) },
  timestamptz: {
    oid: 1184,
    sizeOf: () => 8,
    write: (bytes, value: Date, at) => bytes.writeBigInt64BE(BigInt(value.getTime() - y2000) * 1000n, at),
  },
};

const headerSize = 20;
const nothing = -1;

/**
 * A non-empty list in PostgreSQL's binary format. As text, every quote in JSON would have to be escaped, and parsed at
 * the other end.
 */
export function arrayBytes(type: ElementType, values: readonly unknown[]): Buffer {
  const { oid, sizeOf, write } = elements[type];
  const sizes = values.map((value) => (value === null ? nothing : sizeOf(value as never)));
  const bytes = Buffer.allocUnsafe(sizes.reduce((sum, size) => sum + 4 + Math.max(size, 0), headerSize));
  const hasNulls = sizes.includes(nothing) ? 1 : 0;
  for (const [index, number] of [1, hasNulls, oid, values.length, 1].entries()) bytes.writeInt32BE(number, index * 4);
  let at = headerSize;
  for (const [index, size] of sizes.entries()) {
    at = bytes.writeInt32BE(size, at);
    if (size === nothing) continue;
    write(bytes, values[index] as never, at);
    at += size;
  }
  return bytes;
}
