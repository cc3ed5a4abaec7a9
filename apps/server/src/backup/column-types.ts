/** The types of columns in a backup, which are the same for both databases. */
export const columnTypes = ['boolean', 'bytes', 'double', 'integer', 'json', 'text', 'time'] as const;
export type ColumnType = (typeof columnTypes)[number];

export interface Column {
  readonly name: string;
  readonly type: ColumnType;
}

/** By the names that SQLite keeps from the declaration, and those of `format_type` of PostgreSQL. */
const types: Readonly<Record<string, ColumnType>> = {
  boolean: 'boolean',
  blob: 'bytes',
  bytea: 'bytes',
  'double precision': 'double',
  integer: 'integer',
  bigint: 'integer',
  jsonb: 'json',
  text: 'text',
  'character varying(255)': 'text',
  'varchar(255)': 'text',
  timestamptz: 'time',
  'timestamp with time zone': 'time',
};

export function columnType(declared: string): ColumnType {
  const type = types[declared.toLowerCase()];
  if (type === undefined) throw new Error(`a backup has no type for columns of ${declared}`);
  return type;
}

/** A value of a row in a backup. */
export type StoredValue = string | number | boolean | null | object;

const text = (value: unknown) => String(value as string | number);

/** From a value of SQLite, or of PostgreSQL as `typeParsers` returns it. */
const encoders: Readonly<Record<ColumnType, (value: never) => StoredValue>> = {
  boolean: (value: boolean | number) => Boolean(value),
  bytes: (value: Uint8Array) => Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64'),
  // JSON has no infinity.
  double: (value: number) => (Number.isFinite(value) ? value : text(value)),
  integer: (value: number) => value,
  json: (value: string | object) => (typeof value === 'string' ? (JSON.parse(value) as object) : value),
  text,
  time: (value: string | Date) => (typeof value === 'string' ? value : value.toISOString()),
};

export const encode = (type: ColumnType, value: unknown): StoredValue =>
  value === null ? null : encoders[type](value as never);

type SQLiteValue = string | number | null | Uint8Array;

const decoders: Readonly<Record<ColumnType, (value: never) => SQLiteValue>> = {
  boolean: (value: boolean) => (value ? 1 : 0),
  bytes: (value: string) => Buffer.from(value, 'base64'),
  double: Number,
  integer: (value: number) => value,
  json: (value: object) => JSON.stringify(value),
  text,
  time: text,
};

export const decodeForSQLite = (type: ColumnType, value: StoredValue): SQLiteValue =>
  value === null ? null : decoders[type](value as never);

/** The expression of PostgreSQL for element `index` of a row, which is a JSON array. */
export function postgresExpression({ type }: Column, index: number, sqlType: string): string {
  if (type === 'bytes') return `decode(r->>${index}, 'base64')`;
  if (type === 'json') return `case json_typeof(r->${index}) when 'null' then null else (r->${index})::jsonb end`;
  return `(r->>${index})::${sqlType}`;
}
