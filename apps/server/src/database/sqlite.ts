import { closeSync, openSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  type LimitNode,
  type OffsetNode,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { type Checkpoints, checkpoints } from './checkpoints.ts';
import type { DatabaseEngine } from './database.ts';
import type { Tables } from './tables.ts';
import { Violation } from './violation.ts';
import { type WalFlush, walFlush } from './wal-flush.ts';
import type { Watch } from './watch.ts';

/**
 * The embedded database: a file in WAL mode whose commits reach the disk before they are answered. One connection
 * writes, one transaction after the other; another reads, so that lists never wait for a writer.
 */
export function sqlite(path: string): DatabaseEngine {
  // SQLite would let others read a new one; the files beside it get the same mode.
  closeSync(openSync(path, 'a', 0o600));
  const writer = new DatabaseSync(path, { enableForeignKeyConstraints: true, timeout: 5000 });
  // `walFlush` does the waiting for the disk that synchronous=full would do, without holding up the process meanwhile.
  writer.exec('pragma journal_mode = wal; pragma synchronous = normal; pragma cache_size = -32000');
  const reader = new DatabaseSync(path, { readOnly: true, timeout: 5000 });
  reader.exec('pragma cache_size = -32000');
  const write = keepStatements(writer);
  const read = keepStatements(reader);
  const log = walFlush(path);
  const take = turns();
  const copying = checkpoints(path, writer, take);
  // SQLite's own only knows ASCII.
  for (const db of [writer, reader])
    db.function('lower', { deterministic: true }, (text) => (typeof text === 'string' ? text.toLowerCase() : text));
  const kysely = new Kysely<Tables>({
    dialect: {
      createAdapter: () =>
        Object.defineProperties(new SqliteAdapter(), {
          supportsMultipleConnections: { value: true },
          supportsTransactionalDdl: { value: true },
        }),
      createDriver: () => createDriver({ writer, reader, write, read, log, copying, take }),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new Compiler(),
    },
  });
  // The reader forgets all it knows at each commit. Between transactions the writer sees the same, and knows its pages.
  const reading: Execute = (query) => (writer.isTransaction ? read(query) : write(query));
  async function unflushed<Row>(query: CompiledQuery<Row>): Promise<QueryResult<Row>> {
    const letGo = await take();
    try {
      return write(query);
    } finally {
      letGo();
    }
  }
  const version = writer.prepare('pragma data_version');
  const writtenElsewhere = () => (version.get() as { data_version: number }).data_version;
  const isOpen = () => writer.isTransaction;
  const forgetPages = () => {
    for (const db of [writer, reader]) db.exec('pragma shrink_memory');
  };
  return {
    kind: 'sqlite',
    kysely,
    writtenElsewhere,
    watch: watching(writer),
    forgetPages,
    direct: { inTransaction: write, reading, unflushed, isOpen },
  };
}

/**
 * SQLite plans a statement anew each time a bare parameter of its limit is bound, which takes longer than a page of a
 * list. It does not look into a sum.
 */
class Compiler extends SqliteQueryCompiler {
  protected override visitLimit(node: LimitNode): void {
    super.visitLimit(node);
    this.append(' + 0');
  }

  protected override visitOffset(node: OffsetNode): void {
    super.visitOffset(node);
    this.append(' + 0');
  }
}

/** By triggers of the connection that writes, which other processes and the reader know nothing of. */
function watching(writer: DatabaseSync): Watch {
  let watches = 0;
  return (sources, forget) => {
    const told = `told_${watches++}`;
    writer.function(told, (key) => {
      forget(key as string | null);
      return null;
    });
    for (const { table, key = [], columns } of sources) {
      const tell = (row: 'old' | 'new') =>
        `select ${told}(${key.map((column) => `${row}.${column}`).join(" || '/' || ") || 'null'});`;
      const of = columns ? ` of ${columns.join(', ')}` : '';
      const isMoved = key.map((column) => `new.${column} is not old.${column}`).join(' or ');
      const change = `after update${of} on ${table}`;
      writer.exec(`
        create temp trigger ${told}_${table}_new after insert on ${table} begin ${tell('new')} end;
        create temp trigger ${told}_${table}_gone after delete on ${table} begin ${tell('old')} end;
        create temp trigger ${told}_${table}_changed ${change} begin ${tell('old')} end;
        ${isMoved && `create temp trigger ${told}_${table}_moved ${change} when ${isMoved} begin ${tell('new')} end;`}`);
    }
  };
}

/** Waits until those who came before have let go; the answer lets go. */
type Take = () => Promise<() => void>;

function turns(): Take {
  let last: Promise<void> = Promise.resolve();
  return async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = last;
    last = promise;
    await before;
    return resolve;
  };
}

interface Connections {
  writer: DatabaseSync;
  reader: DatabaseSync;
  write: Execute;
  read: Execute;
  log: WalFlush;
  copying: Checkpoints;
  /** Takes the writer. */
  take: Take;
}

/** A connection of Kysely's is only a hand on the two shared ones; in a transaction it holds the writer. */
interface Hand extends DatabaseConnection {
  letGo?: () => void;
}

function createDriver({ writer, reader, write, read, log, copying, take }: Connections): Driver {
  async function execute<R>(hand: Hand, query: CompiledQuery): Promise<QueryResult<R>> {
    if (hand.letGo) return write<R>(query);
    if (query.query.kind === 'SelectQueryNode') return read<R>(query);
    const letGo = await take();
    let result: QueryResult<R>;
    try {
      result = write<R>(query);
    } finally {
      letGo();
    }
    copying.consider();
    await log.flush();
    return result;
  }

  const run = (sql: string) => void write(CompiledQuery.raw(sql));
  function giveBack(hand: Hand): void {
    hand.letGo?.();
    delete hand.letGo;
  }

  return {
    init: async () => {},
    acquireConnection: async () => {
      const hand: Hand = {
        executeQuery: (query) => execute(hand, query),
        streamQuery: () => {
          throw new Error('Streaming a query is not supported on SQLite.');
        },
      };
      return hand;
    },
    beginTransaction: async (hand: Hand) => {
      hand.letGo = await take();
      try {
        run('begin immediate');
      } catch (error) {
        giveBack(hand);
        throw error;
      }
    },
    commitTransaction: async (hand: Hand) => {
      run('commit');
      giveBack(hand);
      copying.consider();
      await log.flush();
    },
    rollbackTransaction: async (hand: Hand) => {
      try {
        // Some failures, a full disk for one, have rolled back already; after a commit the writer is somebody else's.
        if (hand.letGo && writer.isTransaction) run('rollback');
      } finally {
        giveBack(hand);
      }
    },
    savepoint: async (_hand, name) => run(`savepoint ${name}`),
    rollbackToSavepoint: async (_hand, name) => run(`rollback to ${name}`),
    releaseSavepoint: async (_hand, name) => run(`release ${name}`),
    releaseConnection: async () => {},
    destroy: async () => {
      await log.close();
      await copying.close();
      reader.close();
      writer.close();
    },
  };
}

type Row = Record<string, unknown>;
type Execute = <R>(query: CompiledQuery) => QueryResult<R>;

/** Statements stay prepared: preparing costs more than most of them do. */
function keepStatements(db: DatabaseSync): Execute {
  const kept = new Map<string, (parameters: readonly unknown[]) => QueryResult<unknown>>();
  return <R>({ sql, parameters, query }: CompiledQuery) => {
    let statement = kept.get(sql);
    if (!statement) {
      statement = prepared(db.prepare(sql));
      if (kept.size >= 500) kept.clear();
      kept.set(sql, statement);
    }
    try {
      return statement(parameters) as QueryResult<R>;
    } catch (error) {
      throw translated(error, query.kind);
    }
  };
}

function prepared(statement: StatementSync): (parameters: readonly unknown[]) => QueryResult<unknown> {
  const columns = statement.columns();
  if (columns.length === 0)
    return (parameters) => {
      const { changes, lastInsertRowid } = statement.run(...parameters.map(bind));
      return { numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid), rows: [] };
    };
  // Objects that the binding makes are slow to read: it builds them as dictionaries.
  statement.setReturnArrays(true);
  const members = columns.map(({ name, type }) => ({ name, decode: decoders[type?.toLowerCase() ?? ''] }));
  const rowOf = (values: readonly unknown[]): Row => {
    const row: Row = {};
    for (let at = 0; at < members.length; at += 1) {
      const { name, decode } = members[at]!;
      const value = values[at];
      row[name] = decode && value !== null ? decode(value as never) : value;
    }
    return row;
  };
  return (parameters) => {
    const rows = (statement.all(...parameters.map(bind)) as unknown as unknown[][]).map(rowOf);
    return { rows, numAffectedRows: BigInt(rows.length) };
  };
}

/** Values come back as PostgreSQL gives them, by the declared type of the column; an expression has none. */
const decoders: Record<string, (value: never) => unknown> = {
  boolean: (value: number) => value !== 0,
  jsonb: (value: string) => JSON.parse(value) as unknown,
  timestamptz: (value: string) => new Date(value),
};

function bind(value: unknown): SQLInputValue {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value instanceof Date) return value.toISOString();
  if (value !== null && typeof value === 'object' && !ArrayBuffer.isView(value)) return JSON.stringify(value);
  return value as SQLInputValue;
}

/** Extended result codes: https://sqlite.org/rescode.html */
const constraintForeignKey = 787;
const constraintPrimaryKey = 1555;
const constraintUnique = 2067;

/** Reads "UNIQUE constraint failed: application.organization_id, application.name". */
const columnsIn = (message: string): string[] =>
  Array.from(message.matchAll(/\w+\.(\w+)/g), ([, column = '']) => column);

function translated(error: unknown, statement: string): unknown {
  if (!(error instanceof Error) || !('errcode' in error)) return error;
  if (error.errcode === constraintUnique || error.errcode === constraintPrimaryKey)
    return new Violation('unique', error.message, error, columnsIn(error.message));
  if (error.errcode === constraintForeignKey)
    return new Violation(statement === 'DeleteQueryNode' ? 'inUse' : 'missing', error.message, error);
  return error;
}
