import type { DeviceSession, SessionKeys } from '@hilltop/network-server';
import type { Selectable } from 'kysely';
import type { Database } from '../database/database.ts';
import { perDatabase, prepare } from '../database/prepared.ts';
import { createQueryCache } from '../database/query-cache.ts';
import { setLatest } from '../latest-n.ts';
import type { Secrets } from '../secrets.ts';
import { sessionBody, sessionOf } from './session-body.ts';
import type { SessionStateTable } from './tables.ts';

export type SessionRows = ReturnType<typeof sessionRows>;

/** So many sessions' keys are kept open in memory; the others are opened when read. */
const keptOpen = 50_000;

type Row = Readonly<Selectable<SessionStateTable>>;

/** So many rows of sessions that have their DevAddr to themselves; each is some 1 kB. */
const keptRows = 10_000;
const aloneAt = perDatabase((database) =>
  createQueryCache<Row>(database, [{ table: 'ns_session', key: ['network_server_id', 'dev_addr'] }], keptRows),
);

/** Device sessions as rows: JSON with the keys apart and sealed, since all else changes with each frame. */
export function sessionRows({ database, secrets }: { database: Database; secrets: Secrets }, ns: number) {
  const alone = aloneAt(database);
  const opened = new Map<string, { sealed: Uint8Array; keys: SessionKeys }>();
  function keepOpen(id: string, sealed: Uint8Array, keys: SessionKeys) {
    setLatest(opened, keptOpen, id, { sealed, keys: copyOf(keys) });
  }

  /** For a row about to be written; what is undone again is not kept. */
  function sealKeys(id: string, keys: SessionKeys): Uint8Array {
    const sealed = secrets.seal(sessionKeysBody(keys), sessionKeysPurpose(id));
    database.afterCommit(() => keepOpen(id, sealed, keys));
    return sealed;
  }

  function openKeys(id: string, sealed: Uint8Array): SessionKeys {
    const known = opened.get(id);
    if (known && Buffer.compare(known.sealed, sealed) === 0) return copyOf(known.keys);
    const json = Buffer.from(secrets.open(sealed, sessionKeysPurpose(id))).toString();
    const keys = keysFromJson(JSON.parse(json) as KeysJson);
    keepOpen(id, sealed, keys);
    return keys;
  }

  const fromRow = (row: Row): DeviceSession =>
    Object.assign(sessionOf(row.body), placeOf(row), { keys: openKeys(row.id, row.keys) });

  const byDevAddr = prepare<{ devAddr: string }>()(
    database,
    (query, $) =>
      query.selectFrom('ns_session').selectAll().where('network_server_id', '=', ns).where('dev_addr', '=', $.devAddr),
    { isBatched: true },
  );
  const ofDevice = prepare<{ devEUI: string }>()(
    database,
    (query, $) =>
      query.selectFrom('ns_session').selectAll().where('network_server_id', '=', ns).where('dev_eui', '=', $.devEUI),
    { isBatched: true },
  );
  const inBrief = prepare<{ devEUI: string }>()(
    database,
    (query, $) =>
      query
        .selectFrom('ns_session')
        .select(['id', 'role', 'dev_addr'])
        .where('network_server_id', '=', ns)
        .where('dev_eui', '=', $.devEUI),
    { isBatched: true },
  );
  type Place = { devEUI: string; role: DeviceSession['role'] };
  type Saved = Place & { id: string; revision: number; next: number; body: string };
  const save = prepare<Saved>()(
    database,
    (query, $) =>
      query
        .updateTable('ns_session')
        .set({ revision: $.next, body: $.body })
        .where('network_server_id', '=', ns)
        .where('dev_eui', '=', $.devEUI)
        .where('role', '=', $.role)
        .where('id', '=', $.id)
        .where('revision', '=', $.revision),
    { isBatched: true, rowKey: 'devEUI' },
  );
  const saveKeys = prepare<Place & { keys: Uint8Array }>()(database, (query, $) =>
    query
      .updateTable('ns_session')
      .set({ keys: $.keys })
      .where('network_server_id', '=', ns)
      .where('dev_eui', '=', $.devEUI)
      .where('role', '=', $.role),
  );
  const promote = prepare<{ devEUI: string; id: string }>()(database, (query, $) =>
    query
      .updateTable('ns_session')
      .set({ role: 'current' })
      .where('network_server_id', '=', ns)
      .where('dev_eui', '=', $.devEUI)
      .where('id', '=', $.id),
  );
  const insert = prepare<Omit<SessionStateTable, 'network_server_id'>>()(
    database,
    (query, $) =>
      query.insertInto('ns_session').values({
        network_server_id: ns,
        dev_eui: $.dev_eui,
        role: $.role,
        id: $.id,
        revision: $.revision,
        dev_addr: $.dev_addr,
        body: $.body,
        keys: $.keys,
      }),
    { isBatched: true },
  );
  const removal = prepare<Place>()(
    database,
    (query, $) =>
      query
        .deleteFrom('ns_session')
        .where('network_server_id', '=', ns)
        .where('dev_eui', '=', $.devEUI)
        .where('role', '=', $.role),
    { isBatched: true },
  );
  async function remove(devEUI: string, roles: DeviceSession['role'][]): Promise<void> {
    await Promise.all(roles.map((role) => removal.run({ devEUI, role })));
  }

  return {
    after: async (devEUI: string, most: number): Promise<Omit<DeviceSession, 'keys'>[]> => {
      const rows = await database.query
        .selectFrom('ns_session')
        .select(['id', 'dev_eui', 'dev_addr', 'role', 'revision', 'body'])
        .where('network_server_id', '=', ns)
        .where('dev_eui', '>', devEUI)
        .where('role', '=', 'current')
        .orderBy('dev_eui')
        .limit(most)
        .execute();
      return rows.map((row) => Object.assign(sessionOf(row.body), placeOf(row)));
    },
    byDevAddr: async (devAddr: string): Promise<DeviceSession[]> => {
      let rows: Row[] | undefined;
      const one = await alone.of(`${ns}/${devAddr}`, async () => {
        rows = await byDevAddr.all({ devAddr });
        return rows.length === 1 ? rows[0] : undefined;
      });
      return (rows ?? [one!]).map(fromRow);
    },
    ofDevice: async (devEUI: string) => (await ofDevice.all({ devEUI })).map(fromRow),
    inBrief: (devEUI: string) => inBrief.all({ devEUI }),

    /** False when another commit was faster or the session is gone. */
    save: async (session: DeviceSession): Promise<boolean> => {
      const { devEUI, devAddr, id, role, revision, keys } = session;
      const values = { devEUI, id, revision, next: revision + 1, body: sessionBody(session) };
      const { next, body } = values;
      const changeKept = alone.changing(`${ns}/${devAddr}`);
      if ((await save.run({ ...values, role })) === 1) changeKept?.((row) => ({ ...row, revision: next, body }));
      else {
        // Not there in this role: it may have been pending until now and takes over (LoRaWAN 1.0.3 §6.2.4).
        if (role !== 'current' || (await save.run({ ...values, role: 'pending' })) !== 1) return false;
        await remove(devEUI, ['current']);
        await promote.run({ devEUI, id });
      }
      const known = opened.get(id)?.keys;
      if (!known || !isSame(known, keys)) await saveKeys.run({ devEUI, role, keys: sealKeys(id, keys) });
      return true;
    },
    insert: async (session: DeviceSession): Promise<void> => {
      const { devEUI, role, id, keys } = session;
      await remove(devEUI, role === 'current' ? ['current', 'pending'] : ['pending']);
      await insert.run({ ...sessionColumns(session), keys: sealKeys(id, keys) });
    },
    removeAll: async (devEUI: string): Promise<void> => {
      await remove(devEUI, ['current', 'pending']);
    },
  };
}

/** All columns but the keys, and whose network server it is. */
export function sessionColumns(session: DeviceSession): Omit<SessionStateTable, 'network_server_id' | 'keys'> {
  const { devEUI, role, id, revision, devAddr } = session;
  return { dev_eui: devEUI, role, id, revision, dev_addr: devAddr, body: sessionBody(session) };
}

/** What of a session its columns say. */
const placeOf = ({
  id,
  dev_eui: devEUI,
  dev_addr: devAddr,
  role,
  revision,
}: Omit<Selectable<SessionStateTable>, 'network_server_id' | 'body' | 'keys'>) => ({
  id,
  devEUI,
  devAddr,
  role,
  revision,
});

/** Keys as they are sealed. */
export const sessionKeysBody = (keys: SessionKeys) => new Uint8Array(Buffer.from(JSON.stringify(keysToJson(keys))));

/** What the keys of the session with this id are sealed for. */
export const sessionKeysPurpose = (id: string) => `ns_session.keys:${id}`;

type KeysJson = { f: string; s: string; e: string; a: { kekLabel: string; aesKey: string } | null };

const keysToJson = ({ fNwkSIntKey, sNwkSIntKey, nwkSEncKey, appSKey }: SessionKeys): KeysJson => ({
  f: fNwkSIntKey.toBase64(),
  s: sNwkSIntKey.toBase64(),
  e: nwkSEncKey.toBase64(),
  a: appSKey && { kekLabel: appSKey.kekLabel, aesKey: appSKey.aesKey.toBase64() },
});

const keysFromJson = ({ f, s, e, a }: KeysJson): SessionKeys => ({
  fNwkSIntKey: Uint8Array.fromBase64(f),
  sNwkSIntKey: Uint8Array.fromBase64(s),
  nwkSEncKey: Uint8Array.fromBase64(e),
  appSKey: a && { kekLabel: a.kekLabel, aesKey: Uint8Array.fromBase64(a.aesKey) },
});

function isSame(a: SessionKeys, b: SessionKeys): boolean {
  return (
    (a.appSKey === null) === (b.appSKey === null) &&
    Buffer.compare(a.fNwkSIntKey, b.fNwkSIntKey) === 0 &&
    Buffer.compare(a.sNwkSIntKey, b.sNwkSIntKey) === 0 &&
    Buffer.compare(a.nwkSEncKey, b.nwkSEncKey) === 0
  );
}

/** Bytes of keys are shared and never written to; what a session does is to forget the AppSKey. */
const copyOf = (keys: SessionKeys): SessionKeys => ({ ...keys });
