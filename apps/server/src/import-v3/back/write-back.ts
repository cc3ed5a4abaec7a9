import { createWriteStream, type WriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { cryptFRMPayload } from '@hilltop/lorawan';
import type { DeviceSession, QueueItem, State } from '@hilltop/network-server';
import { fromBinary } from '@hilltop/protobuf';
import { systemClock } from '../../clock.ts';
import { appSKeyPurpose } from '../../events/device-context.ts';
import { createNetworkState } from '../../network/state.ts';
import { StartError } from '../../start-error.ts';
import type { ImportOptions, ImportTarget } from '../import.ts';
import { buffersOf, rowsBy } from '../migrate/each-row.ts';
import type { ImportedNetwork } from '../migrate/import-pass.ts';
import { joinTypes } from '../migrate/join-nonces.ts';
import { createReport, type Report, type ReportBook } from '../report/report.ts';
import { pointNetworkServersBack } from '../routing-profiles.ts';
import { SessionMessage } from '../source/session-message.ts';
import { redisAddressOf } from '../source/settings-file.ts';
import { openSources } from '../sources.ts';
import { listConfigured } from './changes-since-import.ts';
import { redisCommand } from './redis-commands.ts';
import { receiversMessageOf, sessionMessageOf } from './session.ts';

/** The time for which version 3 stores sessions of silent devices by default. */
const sessionSeconds = '2678400';
const sessionsAtOnce = 500;

type Opened = NonNullable<Awaited<ReturnType<typeof openSources>>['opened']>;

/**
 * Writes files that bring version 3 up to date with Hilltop: `application-server.sql`, and for each network server its
 * `.sql` and `.redis`. They contain session keys. `configured-here.txt` lists what was configured in Hilltop, which is
 * not written back. This command does not write to the databases of version 3. It makes remote network servers call the
 * old application server again. Applying a file twice changes nothing. Throws StartError when no import into this
 * Hilltop is finished.
 */
export async function writeBack(choice: ImportOptions, target: ImportTarget, directory: string): Promise<Report> {
  const pass = await target.database.query.selectFrom('import_v3').select('finished_at').executeTakeFirst();
  if (!pass?.finished_at) throw new StartError('No import into this Hilltop is finished: just start the old servers.');
  // Findings of the import do not matter to an operator who returns to version 3, except those that stop it.
  const found = createReport();
  await using sources = await openSources(choice, found);
  const { opened } = sources;
  if (!opened) return found.report();
  const report = createReport();
  for (const source of found.report().sources) report.source(source);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await toFile(join(directory, 'application-server.sql'), (write) => applicationServerSQL(opened, target, write));
  for (const [id, network] of opened.networks) {
    const name = join(directory, `network-server-${id}`);
    const state = createNetworkState({ ...target, clock: systemClock }, id);
    const of: NetworkWriteBack = { id, network, state, target, report };
    await toFile(`${name}.redis`, (write) => sessionsOf(of, write));
    await toFile(`${name}.sql`, (write) => rowsOf(of, write));
  }
  const since = pass.finished_at;
  await toFile(join(directory, 'configured-here.txt'), (write) =>
    listConfigured(opened, target, { since, report, choice }, write),
  );
  await pointNetworkServersBack(target, opened.file, report);
  return report.report();
}

type Write = (text: string | Uint8Array) => Promise<void>;

async function toFile(path: string, work: (write: Write) => Promise<void>): Promise<void> {
  const file: WriteStream = createWriteStream(path, { mode: 0o600 });
  await work(async (text) => {
    if (!file.write(text)) await new Promise<void>((resolve) => file.once('drain', resolve));
  });
  file.end();
  await finished(file);
}

const hex = (bytes: Uint8Array | string) => `'\\x${typeof bytes === 'string' ? bytes : bytes.toHex()}'`;

/** The join nonces, which must not decrease, and the current sessions of devices. */
async function applicationServerSQL({ database }: Opened, { database: ours, secrets }: ImportTarget, write: Write) {
  await write('begin;\n');
  for await (const rows of database.rows('device', ['dev_eui'])) {
    const devEUIs = rows.map((row) => Buffer.from(row['dev_eui'] as Uint8Array).toString('hex'));
    const devices = await ours.query
      .selectFrom('device')
      .leftJoin('device_keys', 'device_keys.dev_eui', 'device.dev_eui')
      .select(['device.dev_eui', 'device.dev_addr', 'device.app_s_key', 'device_keys.join_nonce'])
      .where('device.dev_eui', 'in', devEUIs)
      .execute();
    for (const { dev_eui: devEUI, dev_addr: devAddr, app_s_key: sealed, join_nonce: joinNonce } of devices) {
      const key = `where dev_eui = ${hex(devEUI)}`;
      if (joinNonce !== null)
        await write(`update device_keys set join_nonce = greatest(join_nonce, ${Number(joinNonce)}) ${key};\n`);
      const appSKey = secrets.open(sealed, appSKeyPurpose(devEUI));
      if (devAddr !== '' && appSKey.length === 16)
        await write(`update device set dev_addr = ${hex(devAddr)}, app_s_key = ${hex(appSKey)} ${key};\n`);
    }
  }
  await write('commit;\n');
}

interface NetworkWriteBack {
  id: number;
  network: ImportedNetwork;
  state: State;
  target: ImportTarget;
  report: ReportBook;
}

async function sessionsOf({ network, state, report }: NetworkWriteBack, write: Write): Promise<void> {
  const { prefix, database } = redisAddressOf(network.file);
  const key = (rest: string) => `${prefix}lora:ns:${rest}`;
  const count = report.count('sessions');
  await write(redisCommand('SELECT', String(database)));
  for (let last = ''; ; ) {
    const batch = await state.sessionsAfter(last, sessionsAtOnce);
    last = batch.at(-1)?.devEUI ?? last;
    const devEUIs = batch.map(({ devEUI }) => devEUI);
    const stored = await network.redis.strings(devEUIs.map((devEUI) => `lora:ns:device:${devEUI}`));
    const known = await rowsBy(network.database, 'device', 'dev_eui', buffersOf(devEUIs));
    for (const [index, devEUI] of devEUIs.entries()) {
      const { current, pending } = await state.sessions(devEUI);
      const device = await state.get('device', devEUI);
      // Devices created in Hilltop are listed with the configured records.
      if (!current || !device || !known.has(devEUI)) continue;
      const there = readable(stored[index]);
      const raw = Uint8Array.fromHex(devEUI);
      const message = sessionMessageOf(current, pending, { device, there });
      await write(redisCommand('SET', key(`device:${devEUI}`), message, 'EX', sessionSeconds));
      await write(redisCommand('SET', key(`device:${devEUI}:gwrx`), receiversMessageOf(current), 'EX', sessionSeconds));
      for (const { devAddr } of [current, ...(pending ? [pending] : [])]) {
        await write(redisCommand('SADD', key(`devaddr:${devAddr}`), raw));
        await write(redisCommand('EXPIRE', key(`devaddr:${devAddr}`), sessionSeconds));
      }
      const before = there?.devAddr.toHex();
      if (before && before !== current.devAddr && before !== pending?.devAddr)
        await write(redisCommand('SREM', key(`devaddr:${before}`), raw));
      count.changed += 1;
    }
    if (batch.length < sessionsAtOnce) return;
  }
}

function readable(stored: Uint8Array | null | undefined): SessionMessage | undefined {
  try {
    return stored ? fromBinary(SessionMessage, stored) : undefined;
  } catch {
    return undefined;
  }
}

const typeOf = Object.fromEntries(Object.entries(joinTypes).map(([number, name]) => [name, Number(number)]));
const noKey = `'\\x${'00'.repeat(16)}'`;

/** DevNonces, so that no join is answered twice; counters of multicast-groups; queued downlinks. */
async function rowsOf({ id, network, state, target, report }: NetworkWriteBack, write: Write): Promise<void> {
  const { query } = target.database;
  await write('begin;\n');
  for await (const rows of network.database.rows('device', ['dev_eui'])) {
    const devEUIs = rows.map((row) => Buffer.from(row['dev_eui'] as Uint8Array).toString('hex'));
    const nonces = await query
      .selectFrom('ns_activation')
      .selectAll()
      .where('network_server_id', '=', id)
      .where('dev_eui', 'in', devEUIs)
      .execute();
    for (const { dev_eui, join_eui, dev_addr, dev_nonce, join_type, at } of nonces) {
      const nonce = `dev_eui = ${hex(dev_eui)} and join_eui = ${hex(join_eui)} and dev_nonce = ${dev_nonce} and join_req_type = ${typeOf[join_type]}`;
      const values = [hex(dev_eui), hex(join_eui), hex(dev_addr), noKey, noKey, noKey, dev_nonce, typeOf[join_type]];
      await write(
        `insert into device_activation (created_at, dev_eui, join_eui, dev_addr, f_nwk_s_int_key, s_nwk_s_int_key, nwk_s_enc_key, dev_nonce, join_req_type) select to_timestamp(${Number(at) / 1000}), ${values.join(', ')} where not exists (select 1 from device_activation where ${nonce});\n`,
      );
    }
    for (const devEUI of devEUIs) await queueOf(devEUI);
  }
  const groups = query.selectFrom('ns_multicast_counter').selectAll().where('network_server_id', '=', id);
  for (const { group_id: group, f_cnt: fCnt } of await groups.execute())
    await write(`update multicast_group set f_cnt = greatest(f_cnt, ${Number(fCnt)}) where id = '${group}';\n`);
  await write('commit;\n');

  async function queueOf(devEUI: string): Promise<void> {
    const { current } = await state.sessions(devEUI);
    if (!current) return;
    await write(`delete from device_queue where dev_eui = ${hex(devEUI)};\n`);
    let next = current.macVersion.startsWith('1.1') ? current.aFCntDown : current.nFCntDown;
    const appSKey = await appSKeyOf(target, current);
    const count = report.count('queued downlinks');
    for (const item of await state.queue(devEUI)) {
      if (item.sessionID !== current.id || (item.fCnt < next && !item.isPending && !appSKey)) {
        count.notCarried += 1;
        report.find('not imported', 'queued downlinks', 'it belongs to another session: enqueue it again', devEUI);
        continue;
      }
      const placed = item.isPending || item.fCnt >= next || !appSKey ? item : renumbered(item, next);
      await write(itemRow(placed, current.devAddr));
      if (!item.isPending) next = placed.fCnt + 1;
      count.changed += 1;

      /** Encrypted for the frame counter under which it is sent. */
      function renumbered(late: QueueItem, fCnt: number): QueueItem {
        const crypt = (counter: number, bytes: Uint8Array) =>
          cryptFRMPayload(appSKey!, { devAddr: current!.devAddr, fCnt: counter, direction: 'down' }, bytes);
        return { ...late, fCnt, frmPayload: crypt(fCnt, crypt(late.fCnt, late.frmPayload)) };
      }
    }
  }
}

/**
 * The AppSKey of the session; undefined while the application has the one of another session, or the key is wrapped.
 */
async function appSKeyOf(
  { database, secrets }: ImportTarget,
  { devEUI, devAddr, keys }: DeviceSession,
): Promise<Uint8Array | undefined> {
  if (keys.appSKey) return keys.appSKey.kekLabel === '' ? keys.appSKey.aesKey : undefined;
  const device = database.query.selectFrom('device').select(['dev_addr', 'app_s_key']).where('dev_eui', '=', devEUI);
  const row = await device.executeTakeFirst();
  return row?.dev_addr === devAddr ? secrets.open(row.app_s_key, appSKeyPurpose(devEUI)) : undefined;
}

function itemRow(item: QueueItem, devAddr: string): string {
  const { devEUI, frmPayload, fCnt, fPort, confirmed, isPending, pingSlotAt } = item;
  const time = (ms: number | null) => (ms === null ? 'null' : `to_timestamp(${ms / 1000})`);
  const emitAt = pingSlotAt === null ? 'null' : `${pingSlotAt}000000`;
  const values = [hex(devEUI), hex(devAddr), hex(frmPayload), fCnt, fPort, confirmed, isPending];
  return `insert into device_queue (created_at, updated_at, dev_eui, dev_addr, frm_payload, f_cnt, f_port, confirmed, is_pending, timeout_after, retry_after, emit_at_time_since_gps_epoch) values (now(), now(), ${values.join(', ')}, ${time(item.timeoutAt)}, ${time(item.notBefore)}, ${emitAt});\n`;
}
