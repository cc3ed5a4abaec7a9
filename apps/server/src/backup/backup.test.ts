import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFile,
  mkdtemp,
  open,
  readdir,
  readFile,
  rm,
  stat,
  watch as watchDirectory,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it, mock } from 'node:test';
import { fileURLToPath } from 'node:url';
import { zstdDecompressSync } from 'node:zlib';
import { operations } from '@hilltop/contract';
import { sql } from 'kysely';
import { filesIn } from '../data-directory.ts';
import type { DatabaseKind } from '../database/database.ts';
import { createLog } from '../log.ts';
import { openStorage } from '../storage.ts';
import { childEnvironment } from '../testing/child-environment.ts';
import { createMigratedStorage, createTestStorage, databases, type TestStorage } from '../testing/databases.ts';
import { createDevice, createGateway, createSurroundings, simulateDevice, simulateGateway } from '../testing/field.ts';
import { startIn } from '../testing/test-app.ts';
import { testSettings } from '../testing/test-settings.ts';
import { type TestWatch, watch } from '../testing/watch.ts';
import { backUp } from './back-up.ts';
import { connectPostgres } from './postgres-source.ts';
import { restoreBackup } from './restore.ts';
import { sealingCost } from './sealed-file.ts';
import { rowsPerBatch } from './source.ts';
import { backupTables, isInHistoryFile, tablesToCopy } from './table-list.ts';
import { fillEveryTable } from './testing/fill.ts';

const log = createLog({ logLevel: 'silent' });
const settingsOf = (testStorage: TestStorage) => testSettings(testStorage);
const passphrase = 'a long passphrase';
// At full cost, deriving keys takes most of the processor time of these tests.
sealingCost.N = 2 ** 10;

/** Reads the rows of a table as the server does, in a stable order. */
async function rowsOf(testStorage: TestStorage, table: string): Promise<string[]> {
  const { databaseFile, historyFile } = filesIn(testStorage.dataDir);
  const { sqlite } = await import('../database/sqlite.ts');
  const { postgres } = await import('../database/postgres.ts');
  const file = isInHistoryFile(table) ? historyFile : databaseFile;
  const engine = testStorage.databaseURL ? postgres(testStorage.databaseURL) : sqlite(file);
  try {
    const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(table)}`.execute(engine.kysely);
    return rows.map(({ search_row: _index, ...row }) => JSON.stringify(sorted(row))).sort();
  } finally {
    await engine.kysely.destroy();
  }
}

/** With sorted members, because `jsonb` has its own order. */
function sorted(value: unknown): unknown {
  if (value instanceof Uint8Array) return `bytes ${Buffer.from(value).toString('hex')}`;
  if (value instanceof Date || value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(sorted);
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([one], [other]) => one.localeCompare(other))
      .map(([name, member]) => [name, sorted(member)]),
  );
}

async function storageWithKeys(kind: DatabaseKind): Promise<TestStorage> {
  const testStorage = await createMigratedStorage(kind);
  const storage = await openStorage(settingsOf(testStorage), log);
  await storage.close();
  return testStorage;
}

async function copyKeys(from: TestStorage, to: TestStorage): Promise<void> {
  for (const name of ['encryptionKeyFile', 'tokenKeyFile'] as const)
    await copyFile(filesIn(from.dataDir)[name], filesIn(to.dataDir)[name]);
}

for (const kind of databases)
  it(`says for each table on ${kind} what a backup does with it`, async () => {
    await using testStorage = await storageWithKeys(kind);
    const { sqlite } = await import('../database/sqlite.ts');
    const { postgres } = await import('../database/postgres.ts');
    const { databaseURL, dataDir } = testStorage;
    const engine = databaseURL ? postgres(databaseURL) : sqlite(filesIn(dataDir).databaseFile);
    const tables = (await engine.kysely.introspection.getTables()).map(({ name }) => name);
    await engine.kysely.destroy();
    const known = tables.filter((name) => !/^(kysely_|sqlite_)|_search_/.test(name));
    assert.ok(known.length > 80);
    assert.deepEqual(
      known.filter((name) => !(name in backupTables)),
      [],
      'backup/table-list.ts does not name these',
    );
  });

const pairs = databases.flatMap((from) => databases.map((to) => [from, to] as const));
// From PostgreSQL to itself runs no other code.
for (const [from, to] of pairs)
  if (from !== to || from === 'sqlite')
    it(`restores every row of ${from} on ${to}`, async () => {
      await using source = await storageWithKeys(from);
      await fillEveryTable(source);
      await using target = await createTestStorage(to);
      const file = join(source.dataDir, 'a.backup');
      await backUp(settingsOf(source), { file, withHistory: true, passphrase });
      assert.equal((await stat(file)).mode & 0o777, 0o600);
      const lines = await restoreBackup(settingsOf(target), { file, passphrase, replace: false }, log);
      assert.match(lines[0]!, /3 organizations, 3 users, 3 gateways, 3 devices, with history/);

      const changedByRestore = new Set(['device_keys', 'ns_session', 'ns_multicast_counter', 'job']);
      for (const table of tablesToCopy({ withHistory: true })) {
        const rows = await rowsOf(target, table);
        assert.notEqual(rows.length, 0, table);
        if (!changedByRestore.has(table)) assert.deepEqual(rows, await rowsOf(source, table), table);
      }
      const parsed = async (table: string) =>
        (await rowsOf(target, table)).map((row) => JSON.parse(row) as Record<string, never>);
      const [keys] = await parsed('device_keys');
      assert.equal(keys!['join_nonce'], 1001);
      const counters = (await parsed('ns_multicast_counter')).map((row) => row['f_cnt']);
      assert.deepEqual(counters, [1001, 1002, 1003]);
      const jobs = (await parsed('job')).map((row) => row['state']);
      assert.deepEqual(jobs, ['PAUSED', 'DONE', 'PAUSED']);

      const sessions = (await parsed('ns_session')).map((row) => (JSON.parse(row['body']!) as number[]).slice(4, 7));
      assert.deepEqual(sessions, [
        [1, 1002, 1003],
        [2, 1004, 1006],
        [3, 1006, 1009],
      ]);

      // Keys that the database generates continue, and texts are found.
      const storage = await openStorage(settingsOf(target), log);
      const { query } = storage.database;
      const one = await query.selectFrom('organization').selectAll().where('id', '=', 1).executeTakeFirstOrThrow();
      const { id: _one, ...values } = { ...one, name: 'another', ...(to === 'sqlite' && { search_row: null }) };
      const { id } = await query.insertInto('organization').values(values).returning('id').executeTakeFirstOrThrow();
      assert.equal(id, from === 'postgres' ? 51 : 4);
      if (to === 'sqlite') {
        const { rows } = await sql`select key from device_search where key is not null`.execute(query);
        assert.equal(rows.length, 3);
      }
      await storage.close();
    });

/** Copies the first row of a table, each time with another number in these columns. */
function multiply(main: DatabaseSync, table: string, times: number, numbered: Readonly<Record<string, string>>): void {
  const columns = main
    .prepare('select name from pragma_table_info(?)')
    .all(table)
    .map(({ name }) => String(name))
    .filter((name) => name !== 'search_row');
  const values = columns.map((name) => numbered[name] ?? `"${name}"`).join(', ');
  main.exec(`with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${times})
    insert into "${table}" (${columns.map((name) => `"${name}"`).join(', ')})
    select ${values} from (select * from "${table}" limit 1), numbers`);
}

it('moves devices that fill several batches from sqlite to postgres', { skip: databases.length === 1 }, async () => {
  await using source = await storageWithKeys('sqlite');
  await fillEveryTable(source);
  const count = 2 * rowsPerBatch + 1;
  const main = new DatabaseSync(filesIn(source.dataDir).databaseFile, { enableForeignKeyConstraints: false });
  const dev_eui = "printf('%016x', n)";
  multiply(main, 'device', count, { dev_eui, name: "'device ' || n" });
  multiply(main, 'device_keys', count, { dev_eui });
  multiply(main, 'ns_session', count, { dev_eui, id: '1000 + n' });
  main.close();
  await using target = await createTestStorage('postgres');
  await copyKeys(source, target);
  const file = join(source.dataDir, 'a.backup');
  await backUp(settingsOf(source), { file, withHistory: false, passphrase: '' });
  const [line] = await restoreBackup(settingsOf(target), { file, passphrase: '', replace: false }, log);
  assert.match(line!, new RegExp(`${count + 3} devices, without history`));
  assert.deepEqual(await rowsOf(target, 'device'), await rowsOf(source, 'device'));
  for (const table of ['device_keys', 'ns_session'])
    assert.equal((await rowsOf(target, table)).length, (await rowsOf(source, table)).length, table);
  const storage = await openStorage(settingsOf(target), log);
  const { query } = storage.database;
  const found = query.selectFrom('device').select('dev_eui').where('name', '=', `device ${count}`);
  assert.equal((await found.executeTakeFirstOrThrow()).dev_eui, count.toString(16).padStart(16, '0'));
  await storage.close();
});

/** Made by the first version that wrote backups, of a database with three rows in each table. */
const firstFormat = new URL('testing/format-1/', import.meta.url);
for (const kind of databases)
  it(`restores a backup of the first format and earlier migrations on ${kind}`, async () => {
    await using target = await createTestStorage(kind);
    const { encryptionKeyFile, tokenKeyFile } = filesIn(target.dataDir);
    await copyFile(new URL('encryption.key', firstFormat), encryptionKeyFile);
    await copyFile(new URL('token.key', firstFormat), tokenKeyFile);
    const file = join(target.dataDir, 'first.backup');
    await writeFile(file, zstdDecompressSync(await readFile(new URL('first.backup.zst', firstFormat))));
    const lines = await restoreBackup(settingsOf(target), { file, passphrase: '', replace: false }, log);
    assert.match(lines[0]!, /3 organizations, 3 users, 3 gateways, 3 devices, with history/);
    for (const table of ['device', 'device_keys', 'ns_session', 'event_block', 'trash_row'])
      assert.equal((await rowsOf(target, table)).length, 3, table);
    // It was added later.
    assert.deepEqual(await rowsOf(target, 'audit'), []);
    const storage = await openStorage(settingsOf(target), log);
    const members = storage.database.query.selectFrom('organization_user').select('application_ids');
    assert.ok((await members.execute()).every(({ application_ids }) => application_ids === null));
    await storage.close();
  });

describe('a backup file', () => {
  let source: TestStorage;
  let directory: string;
  const path = (name: string) => join(directory, name);
  before(async () => {
    source = await storageWithKeys('sqlite');
    await fillEveryTable(source);
    directory = await mkdtemp(join(tmpdir(), 'hilltop-backup-'));
    await backUp(settingsOf(source), { file: path('plain'), withHistory: true, passphrase: '' });
    await backUp(settingsOf(source), { file: path('sealed'), withHistory: true, passphrase });
  });
  after(async () => {
    await source[Symbol.asyncDispose]();
    await rm(directory, { recursive: true });
  });

  async function refusal(file: string, given: { passphrase?: string; keys?: boolean } = {}): Promise<string> {
    await using target = await createTestStorage('sqlite');
    if (given.keys ?? true) await copyKeys(source, target);
    const error = await restoreBackup(
      settingsOf(target),
      { file, passphrase: given.passphrase ?? '', replace: false },
      log,
    ).then(
      () => undefined,
      (error: Error) => error,
    );
    assert.ok(error, `${file} was restored`);
    assert.equal(error.name, 'StartError', String(error.stack));
    const left = (await readdir(target.dataDir)).filter(
      (name) => name.startsWith('hilltop.db') || name.startsWith('history'),
    );
    assert.deepEqual(left, []);
    return error.message;
  }

  for (const [name, given] of [
    ['plain', {}],
    ['sealed', { passphrase }],
  ] as const) {
    it(`is refused with any changed byte: ${name}`, async () => {
      const bytes = await readFile(path(name));
      for (let nth = 0; nth < 100; nth += 1) {
        const at = Math.floor((nth * bytes.length) / 100);
        const changed = Buffer.from(bytes);
        changed[at] = bytes[at]! ^ (1 << (nth % 8));
        await writeFile(path('changed'), changed);
        assert.match(await refusal(path('changed'), given), /damaged|sealed backup/, `byte ${at}`);
      }
    });

    it(`is refused when it is cut: ${name}`, async () => {
      const bytes = await readFile(path(name));
      for (const length of [0, 10, 600, bytes.length >> 1, bytes.length - 1100, bytes.length - 513, bytes.length - 1]) {
        await writeFile(path('cut'), bytes.subarray(0, length));
        assert.match(await refusal(path('cut'), given), /damaged|sealed backup/, `${length} bytes`);
      }
      await writeFile(path('longer'), Buffer.concat([bytes, Buffer.alloc(512)]));
      assert.match(await refusal(path('longer'), given), /damaged/);
    });
  }

  it('is refused with another passphrase, without one, and with one that it does not need', async () => {
    assert.match(await refusal(path('sealed'), { passphrase: 'another passphrase' }), /the passphrase is another one/);
    assert.match(await refusal(path('sealed')), /is sealed: name the file/);
    assert.match(await refusal(path('plain'), { passphrase }), /is not a sealed backup/);
    assert.match(await refusal(path('missing')), /cannot be read/);
  });

  it('is refused with another encryption key, and brings its keys only when it is sealed', async () => {
    assert.match(await refusal(path('plain'), { keys: false }), /Copy encryption.key and token.key/);
    await using target = await createTestStorage('sqlite');
    await restoreBackup(settingsOf(target), { file: path('sealed'), passphrase, replace: false }, log);
    const key = (of: TestStorage) => readFile(filesIn(of.dataDir).encryptionKeyFile, 'utf8');
    assert.equal(await key(target), await key(source));
    const plain = (await readFile(path('plain'))).toString('latin1');
    assert.ok(!plain.includes((await key(source)).trim()));
    assert.ok(!plain.includes('keys.json'));
  });

  it('is refused by an older version', async () => {
    const text = await readFile(path('plain'));
    const { readTar, tarEnd, tarEntry } = await import('./tar.ts');
    const { sumOf } = await import('./write-backup.ts');
    const changedTo = async (change: (manifest: Record<string, unknown>) => void) => {
      const pieces: Buffer[] = [];
      let sum = '';
      async function* chunks() {
        yield text;
      }
      for await (const { name, body } of readTar(chunks())) {
        let changed = body;
        if (name === 'manifest.json') {
          const manifest = JSON.parse(body.toString()) as Record<string, unknown>;
          change(manifest);
          changed = Buffer.from(JSON.stringify(manifest));
          sum = sumOf(changed);
        }
        pieces.push(...tarEntry({ name, body: name === 'manifest.json.sha256' ? Buffer.from(sum) : changed }));
      }
      await writeFile(path('newer'), Buffer.concat([...pieces, tarEnd()]));
      return path('newer');
    };
    const newer = (version: string) => new RegExp(`made by Hilltop ${version}, and this is`);
    assert.match(await refusal(await changedTo((one) => Object.assign(one, { version: '9.0.0' }))), newer('9.0.0'));
    assert.match(
      await refusal(await changedTo((one) => Object.assign(one, { format: 2, version: '9.1.0' }))),
      newer('9.1.0'),
    );
    const later = await changedTo(({ migrations }) => void (migrations as string[]).push('9999-later'));
    assert.match(await refusal(later), newer('0.1.0'));
    assert.match(await refusal(await changedTo((one) => Object.assign(one, { createdAt: 'now' }))), /damaged/);
    const gap = await changedTo((one) => Object.assign(one, { migrations: (one['migrations'] as string[]).slice(9) }));
    assert.match(await refusal(gap), /migrations that the backup names cannot be executed/);
  });

  it('is refused by a database that is not empty, unless it is to replace it', async () => {
    await using target = await storageWithKeys('sqlite');
    await copyKeys(source, target);
    const restore = (replace: boolean) =>
      restoreBackup(settingsOf(target), { file: path('plain'), passphrase: '', replace }, log);
    await assert.rejects(restore(false), /is not empty: choose an empty one, or replace all it has with --replace/);
    assert.equal((await rowsOf(target, 'organization')).length, 0);
    await restore(true);
    assert.equal((await rowsOf(target, 'organization')).length, 3);
  });
});

const program = (name: string) => fileURLToPath(new URL(`../${name}.ts`, import.meta.url));

/** Runs `npm run backup` or `npm run restore`. */
function run(name: 'backup' | 'restore', { dataDir, databaseURL }: TestStorage, ...args: string[]) {
  const env = { ...childEnvironment, HILLTOP_DATA: dataDir, ...(databaseURL && { HILLTOP_DATABASE_URL: databaseURL }) };
  return spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program(name), ...args], { env });
}

async function ended(child: ReturnType<typeof run>): Promise<{ status: number | null; text: string }> {
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (some: string) => (text += some));
  const [status] = (await once(child, 'close')) as [number | null];
  return { status, text };
}

for (const kind of databases)
  it(`refuses to start on ${kind} after a killed restore, until it is repeated`, async () => {
    await using source = await storageWithKeys('sqlite');
    await fillEveryTable(source);
    await using target = await createTestStorage(kind);
    await copyKeys(source, target);
    const file = join(source.dataDir, 'a.backup');
    await backUp(settingsOf(source), { file, withHistory: false, passphrase: '' });

    const child = run('restore', target, file);
    await restoreBegan(target);
    child.kill('SIGSTOP');
    await assert.rejects(
      restoreBackup(settingsOf(target), { file, passphrase: '', replace: true }, log),
      /is in use, so nothing was changed: .* wait until the other restore has ended/,
    );
    child.kill('SIGKILL');
    await once(child, 'exit');
    await assert.rejects(openStorage(settingsOf(target), log), /A restore .* was interrupted/);
    const again = await ended(run('restore', target, file));
    assert.match(again.text, /is not empty/);
    const { status, text } = await ended(run('restore', target, file, '--replace'));
    assert.equal(status, 0, text);
    assert.match(text, /3 devices, without history/);
    const storage = await openStorage(settingsOf(target), log);
    const { query } = storage.database;
    const { position } = await query.selectFrom('integration_state').select('position').executeTakeFirstOrThrow();
    // The events of the log are not in the backup.
    assert.equal(position, '10');
    await storage.close();
  });

async function restoreBegan({ dataDir, databaseURL }: TestStorage): Promise<void> {
  if (!databaseURL) {
    const begun = 'hilltop.db.restoring';
    for await (const { filename } of watchDirectory(dataDir)) if (filename === begun) return;
    return;
  }
  const client = await connectPostgres(databaseURL);
  try {
    for (;;) {
      const { rows } = await client.query<{ found: boolean }>(
        "select to_regclass('restore_incomplete') is not null as found",
      );
      if (rows[0]!.found) return;
    }
  } finally {
    await client.end();
  }
}

it('removes what it has written when the disk is full, and says so in one line', async () => {
  await using source = await storageWithKeys('sqlite');
  const file = join(source.dataDir, 'a.backup');
  await using handle = await open(join(source.dataDir, 'other'), 'w');
  const { FileHandle } = { FileHandle: Object.getPrototypeOf(handle) as { writeFile: () => Promise<void> } };
  const full = mock.method(FileHandle, 'writeFile', () =>
    Promise.reject(Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })),
  );
  try {
    await assert.rejects(
      backUp(settingsOf(source), { file, withHistory: false, passphrase: '' }),
      /^StartError: The disk is full/,
    );
  } finally {
    full.mock.restore();
  }
  assert.deepEqual(
    (await readdir(source.dataDir)).filter((name) => name.startsWith('a.backup')),
    [],
  );
});

it('is whole when another backup is written to the same file at once', async () => {
  await using source = await storageWithKeys('sqlite');
  await fillEveryTable(source);
  const file = join(source.dataDir, 'a.backup');
  const both = [1, 2].map(() => backUp(settingsOf(source), { file, withHistory: true, passphrase: '' }));
  await Promise.all(both);
  await using target = await createTestStorage('sqlite');
  await copyKeys(source, target);
  await restoreBackup(settingsOf(target), { file, passphrase: '', replace: false }, log);
  const left = (await readdir(source.dataDir)).filter((name) => name.startsWith('a.backup'));
  assert.deepEqual(left, ['a.backup']);
});

it('replaces no file', async () => {
  await using source = await storageWithKeys('sqlite');
  for (const file of [join(source.dataDir, 'hilltop.db'), '/dev/null'])
    await assert.rejects(
      backUp(settingsOf(source), { file, withHistory: false, passphrase: '' }),
      /^StartError: .* exists\. Choose another name, or remove it\.$/,
    );
});

const moves = [['sqlite', 'postgres'] as const, ['postgres', 'sqlite'] as const].filter(() => databases.length > 1);
for (const [from, to] of moves)
  it(`lets devices go on without a join from ${from} to ${to}`, async () => {
    await using source = await createMigratedStorage(from);
    await using target = await createTestStorage(to);
    const file = join(source.dataDir, 'a.backup');
    const devEUI = '70b3d5e75e000001';
    const gatewayID = '70b3d5e75e0000ff';
    const device = simulateDevice(devEUI);
    {
      await using app = await startIn(kept(source), {});
      const surroundings = await createSurroundings(app);
      await createGateway(app, surroundings.organizationID, gatewayID);
      await createDevice(app, surroundings, { devEUI });
      await using gateway = await simulateGateway(app, gatewayID);
      gateway.receiveFrame(device.joinRequest());
      assert.equal(device.receive((await gateway.nextDownlink(8000)).phyPayload).kind, 'joined');
      await using events = await watch(app.url, `/api/devices/${devEUI}/events`, app.adminToken);
      gateway.receiveFrame(device.uplink({ fPort: 1, data: Uint8Array.of(1) }));
      await eventOf(events, 'up');
      const { status, text } = await ended(run('backup', source, file, '--with-history'));
      assert.equal(status, 0, text);
    }
    await copyKeys(source, target);
    await restoreBackup(settingsOf(target), { file, passphrase: '', replace: false }, log);

    await using app = await startIn(kept(target), {});
    await using gateway = await simulateGateway(app, gatewayID);
    const deviceQueueItem = { devEUI, fPort: 7, data: 'AQI=' };
    await app.call(operations.deviceQueue.enqueue, { deviceQueueItem });
    await using events = await watch(app.url, `/api/devices/${devEUI}/events`, app.adminToken);
    gateway.receiveFrame(device.uplink({ fPort: 2, data: Uint8Array.of(5) }));
    const before = JSON.parse((await eventOf(events, 'up')).payloadJSON) as { fPort: number };
    const after = JSON.parse((await eventOf(events, 'up')).payloadJSON) as { fPort: number };
    assert.deepEqual([before.fPort, after.fPort], [1, 2], 'the event of before is there');
    let received = device.receive((await gateway.nextDownlink(8000)).phyPayload);
    while (received.kind === 'data' && received.fPort === null)
      received = device.receive((await gateway.nextDownlink(8000)).phyPayload);
    assert.ok(received.kind === 'data', JSON.stringify(received));
    assert.deepEqual([received.fPort, [...received.data]], [7, [1, 2]]);
    assert.ok(received.fCnt >= 1000);
  });

const kept = (testStorage: TestStorage): TestStorage => ({
  ...testStorage,
  [Symbol.asyncDispose]: () => Promise.resolve(),
});

async function eventOf(events: TestWatch, type: string) {
  for (;;) {
    const { result } = await events.next();
    if (result?.type === type) return result;
  }
}
