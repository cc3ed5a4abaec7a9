import { closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { CompiledQuery, type Driver, Kysely, type QueryResult, SqliteAdapter, SqliteIntrospector } from 'kysely';
import { checkpoints } from './checkpoints.ts';
import type { DatabaseEngine, EngineSavepoint, EngineTransaction } from './engine.ts';
import { LimitCompiler, sqliteDriver, transactionDriver, writerQueue, writerTransactions } from './sqlite-driver.ts';
import { type Execute, preparedStatements } from './sqlite-statements.ts';
import type { Tables } from './tables.ts';
import { walFlush } from './wal-flush.ts';
import type { Watch } from './watch.ts';

/**
 * The embedded database: a file in WAL mode whose commits are on disk before they are answered. One connection writes,
 * one transaction after the other; another reads, so that lists never wait for a writer.
 */
export function sqlite(path: string): DatabaseEngine {
  const { writer, reader } = openConnections(path);
  const write = preparedStatements(writer);
  const acquireWriter = writerQueue();
  const connections = {
    writer,
    reader,
    write,
    read: preparedStatements(reader),
    walFlush: walFlush(path),
    checkpoints: checkpoints(path, writer, acquireWriter),
    acquireWriter,
  };
  const kysely = kyselyWith(() => sqliteDriver(connections));
  const transactions = writerTransactions(connections);
  const query = kyselyWith(() => transactionDriver(write));
  // The reader drops its pages at each commit. Between transactions the writer sees the same rows and still has its
  // pages.
  const read: Execute = (query) => (writer.isTransaction ? connections.read(query) : write(query));
  const version = writer.prepare('pragma data_version');
  return {
    kind: 'sqlite',
    kysely,
    isPipelined: false,
    hasOtherWriters: false,
    begin: async () => {
      const { commit, rollback } = await transactions.begin();
      return {
        query,
        execute: write,
        savepoint: () => sqliteSavepoint(query, write),
        isOpen: () => writer.isTransaction,
        commit,
        rollback,
      } satisfies EngineTransaction;
    },
    execute: (query) => (query.query.kind === 'SelectQueryNode' ? read(query) : kysely.executeQuery(query)),
    executeUnflushed: async <Row>(query: CompiledQuery<Row>): Promise<QueryResult<Row>> => {
      const release = await acquireWriter();
      try {
        return write(query);
      } finally {
        release();
      }
    },
    isSettled: () => !writer.isTransaction,
    writtenElsewhere: () => (version.get() as { data_version: number }).data_version,
    watch: watchByTriggers(writer),
    keepSavepointsInMemory: () => writer.exec('pragma temp_store = memory'),
    releasePageCache: () => {
      for (const db of [writer, reader]) db.exec('pragma shrink_memory');
    },
  };
}

function kyselyWith(createDriver: () => Driver): Kysely<Tables> {
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () =>
        Object.defineProperties(new SqliteAdapter(), {
          supportsMultipleConnections: { value: true },
          supportsTransactionalDdl: { value: true },
        }),
      createDriver,
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new LimitCompiler(),
    },
  });
}

function openConnections(path: string): { writer: DatabaseSync; reader: DatabaseSync } {
  // SQLite would create a file that others can read; its companion files get the same mode.
  closeSync(openSync(path, 'a', 0o600));
  const writer = new DatabaseSync(path, { enableForeignKeyConstraints: true, timeout: 5000 });
  // `walFlush` waits for the disk like synchronous=full, but without blocking the process.
  writer.exec('pragma journal_mode = wal; pragma synchronous = normal; pragma cache_size = -32000');
  const reader = new DatabaseSync(path, { readOnly: true, timeout: 5000 });
  reader.exec('pragma cache_size = -32000');
  // SQLite's own function supports only ASCII.
  for (const db of [writer, reader])
    db.function('lower', { deterministic: true }, (text) => (typeof text === 'string' ? text.toLowerCase() : text));
  return { writer, reader };
}

const savepointStatements = {
  begin: CompiledQuery.raw('savepoint nested'),
  release: CompiledQuery.raw('release nested'),
  rollback: CompiledQuery.raw('rollback to nested'),
};

/** Bypasses Kysely, which takes longer than SQLite does. */
function sqliteSavepoint(query: Kysely<Tables>, write: Execute): EngineSavepoint {
  write(savepointStatements.begin);
  return {
    query,
    execute: write,
    savepoint: () => sqliteSavepoint(query, write),
    release: () => write(savepointStatements.release),
    rollback: () => write(savepointStatements.rollback),
  };
}

/** Uses triggers of the writing connection, which do not run for other processes. */
function watchByTriggers(writer: DatabaseSync): Watch {
  let watches = 0;
  return (sources, onChange) => {
    const reporter = `report_${watches++}`;
    writer.function(reporter, (key) => {
      onChange(key as string | null);
      return null;
    });
    for (const { table, key = [], columns } of sources) {
      const report = (row: 'old' | 'new') =>
        `select ${reporter}(${key.map((column) => `${row}.${column}`).join(" || '/' || ") || 'null'});`;
      const ofColumns = columns ? ` of ${columns.join(', ')}` : '';
      const hasKeyChanged = key.map((column) => `new.${column} is not old.${column}`).join(' or ');
      const update = `after update${ofColumns} on ${table}`;
      writer.exec(`
        create temp trigger ${reporter}_${table}_new after insert on ${table} begin ${report('new')} end;
        create temp trigger ${reporter}_${table}_gone after delete on ${table} begin ${report('old')} end;
        create temp trigger ${reporter}_${table}_changed ${update} begin ${report('old')} end;
        ${hasKeyChanged && `create temp trigger ${reporter}_${table}_moved ${update} when ${hasKeyChanged} begin ${report('new')} end;`}`);
    }
  };
}
