import type { DeviceSession, SessionKeys } from '@hilltop/network-server';
import type { Selectable } from 'kysely';
import type { Database } from '../database/database.ts';
import { perDatabase } from '../database/per-database.ts';
import { createQueryCache } from '../database/query-cache.ts';
import { statement } from '../database/statement.ts';
import type { PreparedWrites } from '../database/unit.ts';
import { setLatest } from '../latest-n.ts';
import type { Secrets } from '../secrets.ts';
import { sessionBody, sessionOf } from './session-body.ts';
import type { SessionStateTable } from './tables.ts';

export type SessionRows = ReturnType<typeof sessionRows>;

/** The most sessions whose decrypted keys are cached; others are decrypted when read. */
const maxOpenKeys = 50_000;

type Row = Readonly<Selectable<SessionStateTable>>;

/** Cached rows of sessions whose DevAddr no other session has; each is some 1 kB. */
const maxCachedRows = 10_000;
const singleSessions = perDatabase((database) =>
  createQueryCache<Row>(database, [{ table: 'ns_session', key: ['network_server_id', 'dev_addr'] }], maxCachedRows),
);

/** Caches the decrypted keys of sessions, because decrypting costs more than reading rows. */
class OpenKeys {
  readonly #database: Pick<Database, 'afterCommit'>;
  readonly #secrets: Secrets;
  readonly #opened = new Map<string, { sealed: Uint8Array; keys: SessionKeys }>();

  constructor(database: Pick<Database, 'afterCommit'>, secrets: Secrets) {
    this.#database = database;
    this.#secrets = secrets;
  }

  get(id: string): SessionKeys | undefined {
    return this.#opened.get(id)?.keys;
  }

  /** Seals keys for a row that will be written; a rollback leaves nothing in memory. */
  seal(id: string, keys: SessionKeys): Uint8Array {
    const sealed = this.#secrets.seal(sessionKeysBody(keys), sessionKeysPurpose(id));
    this.#database.afterCommit(() => this.#add(id, sealed, keys));
    return sealed;
  }

  open(id: string, sealed: Uint8Array): SessionKeys {
    const known = this.#opened.get(id);
    if (known && Buffer.compare(known.sealed, sealed) === 0) return copyOf(known.keys);
    const json = Buffer.from(this.#secrets.open(sealed, sessionKeysPurpose(id))).toString();
    const keys = keysFromJson(JSON.parse(json) as KeysJson);
    this.#add(id, sealed, keys);
    return keys;
  }

  #add(id: string, sealed: Uint8Array, keys: SessionKeys): void {
    setLatest(this.#opened, maxOpenKeys, id, { sealed, keys: copyOf(keys) });
  }
}

const inServer = { ns: 'int8' } as const;

const byDevAddrStatement = statement<Row>()({
  sql: 'select * from ns_session where network_server_id = $ns and dev_addr = $devAddr',
  fixed: inServer,
  given: { devAddr: 'text' },
  batch: {},
});

const ofDeviceStatement = statement<Row>()({
  sql: 'select * from ns_session where network_server_id = $ns and dev_eui = $devEUI',
  fixed: inServer,
  given: { devEUI: 'text' },
  batch: {},
});

const inBriefStatement = statement<Pick<Row, 'id' | 'role' | 'dev_addr'>>()({
  sql: 'select id, role, dev_addr from ns_session where network_server_id = $ns and dev_eui = $devEUI',
  fixed: inServer,
  given: { devEUI: 'text' },
  batch: {},
});

const saveStatement = statement()({
  sql: ({ from }) => `update ns_session set revision = $next, body = $body ${from}
    where network_server_id = $ns and dev_eui = $devEUI and role = $role and id = $id and revision = $revision`,
  fixed: inServer,
  given: { devEUI: 'text', role: 'text', id: 'text', revision: 'int8', next: 'int8', body: 'text' },
  batch: { rowKey: 'devEUI' },
});

const saveKeysStatement = statement()({
  sql: 'update ns_session set keys = $keys where network_server_id = $ns and dev_eui = $devEUI and role = $role',
  fixed: inServer,
  given: { devEUI: 'text', role: 'text', keys: 'bytea' },
});

const promoteStatement = statement()({
  sql: `update ns_session set role = 'current', revision = $next, body = $body
    where network_server_id = $ns and dev_eui = $devEUI and id = $id and revision = $revision and role <> 'current'`,
  fixed: inServer,
  given: { devEUI: 'text', id: 'text', revision: 'int8', next: 'int8', body: 'text' },
});

const insertStatement = statement()({
  sql: ({ values }) => `insert into ns_session (network_server_id, dev_eui, role, id, revision, dev_addr, body, keys)
    ${values('$ns, $dev_eui, $role, $id, $revision, $dev_addr, $body, $keys')}`,
  fixed: inServer,
  given: {
    dev_eui: 'text',
    role: 'text',
    id: 'text',
    revision: 'int8',
    dev_addr: 'text',
    body: 'text',
    keys: 'bytea',
  },
  batch: {},
});

const removeStatement = statement()({
  sql: ({ using }) => `delete from ns_session ${using} where network_server_id = $ns and dev_eui = $devEUI`,
  fixed: inServer,
  given: { devEUI: 'text' },
  batch: {},
});

const removeEarlierStatement = statement()({
  sql: `delete from ns_session
    where network_server_id = $ns and dev_eui = $devEUI and id <> $id and role <> 'pending'`,
  fixed: inServer,
  given: { devEUI: 'text', id: 'text' },
});

const removeReplacedStatement = statement()({
  sql: ({ using }) =>
    `delete from ns_session ${using} where network_server_id = $ns and dev_eui = $devEUI and role = 'replaced'`,
  fixed: inServer,
  given: { devEUI: 'text' },
  batch: {},
});

const replaceStatement = statement()({
  sql: ({ from }) => `update ns_session set role = 'replaced' ${from}
    where network_server_id = $ns and dev_eui = $devEUI and role = 'pending'`,
  fixed: inServer,
  given: { devEUI: 'text' },
  batch: { rowKey: 'devEUI' },
});

/** The statements of one embedded network server. */
const statementsOf = (database: Database, ns: number) => ({
  byDevAddr: byDevAddrStatement(database, { ns }),
  ofDevice: ofDeviceStatement(database, { ns }),
  inBrief: inBriefStatement(database, { ns }),
  save: saveStatement(database, { ns }),
  saveKeys: saveKeysStatement(database, { ns }),
  promote: promoteStatement(database, { ns }),
  insert: insertStatement(database, { ns }),
  removal: removeStatement(database, { ns }),
  removeEarlier: removeEarlierStatement(database, { ns }),
  removeReplaced: removeReplacedStatement(database, { ns }),
  replace: replaceStatement(database, { ns }),
});

/**
 * Device sessions as rows: JSON, and the sealed keys in a separate column, because everything else changes with each
 * frame.
 */
export function sessionRows({ database, secrets }: { database: Database; secrets: Secrets }, ns: number) {
  const singles = singleSessions(database);
  const openKeys = new OpenKeys(database, secrets);
  const statements = statementsOf(database, ns);
  const { byDevAddr, ofDevice, inBrief, save, saveKeys, insert, removal } = statements;

  const fromRow = (row: Row): DeviceSession =>
    Object.assign(sessionOf(row.body), membersOf(row), { keys: openKeys.open(row.id, row.keys) });

  /**
   * Makes a session the current one. Like a join, it changes the rows of a device in the order current, replaced,
   * pending, so that the two do not deadlock.
   */
  async function promote(values: Parameters<typeof statements.promote.run>[0]): Promise<boolean> {
    await statements.removeEarlier.run(values);
    return (await statements.promote.run(values)) === 1;
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
      return rows.map((row) => Object.assign(sessionOf(row.body), membersOf(row)));
    },
    byDevAddr: async (devAddr: string): Promise<DeviceSession[]> => {
      let rows: Row[] | undefined;
      const single = await singles.of(`${ns}/${devAddr}`, async () => {
        rows = await byDevAddr.all({ devAddr });
        return rows.length === 1 ? rows[0] : undefined;
      });
      return (rows ?? [single!]).map(fromRow);
    },
    ofDevice: async (devEUI: string) => (await ofDevice.all({ devEUI })).map(fromRow),
    inBrief: (devEUI: string) => inBrief.all({ devEUI }),

    /** False when another commit has changed the session or it does not exist any more. */
    save: async (session: DeviceSession): Promise<boolean> => {
      const { devEUI, devAddr, id, role, revision, keys } = session;
      const values = { devEUI, id, revision, next: revision + 1, body: sessionBody(session) };
      const { next, body } = values;
      const changeCached = singles.changing(`${ns}/${devAddr}`);
      if ((await save.run({ ...values, role })) === 1) changeCached?.((row) => ({ ...row, revision: next, body }));
      else if (role !== 'current' || !(await promote(values))) return false;
      const known = openKeys.get(id);
      if (!known || !isSame(known, keys)) await saveKeys.run({ devEUI, role, keys: openKeys.seal(id, keys) });
      return true;
    },
    /** `save` of a session whose role and keys are the stored ones. */
    prepareSave: (session: DeviceSession): PreparedWrites | undefined => {
      const { devEUI, devAddr, id, role, revision, keys } = session;
      const known = openKeys.get(id);
      if (!known || !isSame(known, keys)) return undefined;
      const next = revision + 1;
      const body = sessionBody(session);
      const changeCached = singles.changing(`${ns}/${devAddr}`);
      return {
        statements: [{ query: save.query({ devEUI, role, id, revision, next, body }), mustChange: 1 }],
        onWritten: () => changeCached?.((row) => ({ ...row, revision: next, body })),
      };
    },
    insert: async (session: DeviceSession): Promise<void> => {
      const { devEUI, role, id, keys } = session;
      if (role === 'current') await removal.run({ devEUI });
      else {
        await statements.removeReplaced.run({ devEUI });
        await statements.replace.run({ devEUI });
      }
      await insert.run({ ...sessionColumns(session), keys: openKeys.seal(id, keys) });
    },
    removeAll: async (devEUI: string): Promise<void> => {
      await removal.run({ devEUI });
    },
  };
}

/** All columns but the keys and the network server. */
export function sessionColumns(session: DeviceSession): Omit<SessionStateTable, 'network_server_id' | 'keys'> {
  const { devEUI, role, id, revision, devAddr } = session;
  return { dev_eui: devEUI, role, id, revision, dev_addr: devAddr, body: sessionBody(session) };
}

/** Fields of a session that are columns. */
const membersOf = ({
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

/** Keys before they are sealed. */
export const sessionKeysBody = (keys: SessionKeys) => new Uint8Array(Buffer.from(JSON.stringify(keysToJson(keys))));

/** The purpose with which the keys of the session with this id are sealed. */
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

/** Shares the bytes of keys, which nobody modifies; a session may only set its AppSKey to null. */
const copyOf = (keys: SessionKeys): SessionKeys => ({ ...keys });
