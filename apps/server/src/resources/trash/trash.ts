import { randomUUID } from 'node:crypto';
import type { TrashedName, TrashKindName } from '@hilltop/contract';
import type { Clock } from '@hilltop/network-server';
import type { Database } from '../../database/database.ts';
import { nameOf } from '../../identity/name-of.ts';
import type { Principal } from '../../identity/principals.ts';
import type { Networks } from '../../network/network-servers.ts';
import type { Secrets } from '../../secrets.ts';
import { currentFormat, encodeRow, rowsOf, sealBody, type TrashBody } from './body.ts';
import { storedKinds } from './kinds.ts';
import { type NetworkParts, readNetworkParts, readRemoteParts } from './network-part.ts';

export interface TrashDependencies {
  database: Database;
  networks: Networks;
  secrets: Secrets;
  clock: Clock;
  config: { trashDays: number };
}

/** A record that somebody deletes, with all it contains. */
export interface Deletion {
  readonly kind: TrashKindName;
  readonly recordID: string;
  readonly name: string;
  readonly organizationID: number;
  /** Of a device that is deleted on its own. */
  readonly applicationID?: number;
  readonly by: Principal;
}

/**
 * Keeps deleted records. Each is written in the transaction that deletes it, so a deletion in batches that is interrupted
 * has kept what it has deleted; when it is repeated, the rest is added to the same entry.
 */
export class Trash {
  readonly #needs: TrashDependencies;

  constructor(needs: TrashDependencies) {
    this.#needs = needs;
  }

  /** Call it before the transaction: network calls in it would be made one by one between its runs. */
  async readRemote(kind: TrashedName, ids: readonly string[]): Promise<NetworkParts> {
    return this.#isOff ? new Map() : readRemoteParts(this.#needs, kind, ids);
  }

  /** Adds records. Call it in the transaction that deletes them, before they are deleted. */
  async add(deletion: Deletion, kind: TrashedName, ids: readonly string[], remote?: NetworkParts): Promise<void> {
    if (ids.length === 0) return;
    const { database, secrets } = this.#needs;
    if (kind === 'DEVICE') await this.#forgetEarlier(ids);
    if (this.#isOff) return;
    const bodies = await this.#bodiesOf(kind, ids, remote);
    if (bodies.size === 0) return;
    const trashID = await this.#open(deletion);
    let bytes = 0;
    const rows = [...bodies].map(([id, { body, logFrom }]) => {
      const name = { trash_id: trashID, kind, record_id: id };
      const sealed = sealBody(secrets, name, body);
      bytes += sealed.length;
      return { ...name, format: currentFormat, body: sealed, log_from: logFrom };
    });
    await database.query.insertInto('trash_row').values(rows).execute();
    await database.query
      .updateTable('trash')
      .set((eb) => ({ bytes: eb('bytes', '+', bytes) }))
      .where('id', '=', trashID)
      .execute();
  }

  /** Call it in the transaction that deletes the record itself. */
  async complete({ kind, recordID }: Deletion): Promise<void> {
    await this.#needs.database.query
      .updateTable('trash')
      .set({ is_partial: false, deleted_at: this.#needs.clock.now() })
      .where('record_id', '=', recordID)
      .where('kind', '=', kind)
      .where('is_partial', '=', true)
      .execute();
  }

  /** Adds and completes a record that contains no others. */
  async addWhole(deletion: Deletion): Promise<void> {
    await this.add(deletion, deletion.kind, [deletion.recordID]);
    await this.complete(deletion);
  }

  get #isOff(): boolean {
    return this.#needs.config.trashDays === 0;
  }

  /** The entry of this deletion, or of one that was interrupted. */
  async #open({ kind, recordID, name, organizationID, applicationID, by }: Deletion): Promise<string> {
    const { database, clock } = this.#needs;
    const { query } = database;
    const open = await query
      .selectFrom('trash')
      .select('id')
      .where('record_id', '=', recordID)
      .where('kind', '=', kind)
      .where('is_partial', '=', true)
      .limit(1)
      .executeTakeFirst();
    if (open) return open.id;
    const entry = {
      ...{ id: randomUUID(), kind, record_id: recordID, name },
      ...{ organization_id: organizationID, application_id: applicationID ?? null },
    };
    const deleted = { deleted_by: nameOf(by), deleted_at: clock.now(), is_partial: true };
    await query
      .insertInto('trash')
      .values({ ...entry, ...deleted })
      .execute();
    return entry.id;
  }

  /** What is in the history after these devices belongs to them, and not to earlier ones with their DevEUIs. */
  async #forgetEarlier(devEUIs: readonly string[]): Promise<void> {
    await this.#needs.database.query
      .updateTable('trash_row')
      .set({ log_from: null })
      .where('record_id', 'in', devEUIs)
      .where('kind', '=', 'DEVICE')
      .execute();
  }

  /** Records that another call has deleted have no body. */
  async #bodiesOf(kind: TrashedName, ids: readonly string[], remote: NetworkParts | undefined) {
    const { database } = this.#needs;
    const { tables, hasNumericID } = storedKinds[kind];
    const keys = hasNumericID ? ids.map(Number) : ids;
    const stored = [];
    for (const [table, column] of tables) stored.push({ table, rows: await rowsOf(database, table, column, keys) });
    const network = await readNetworkParts(this.#needs, kind, ids, remote);
    const bodies = new Map<string, { body: TrashBody; logFrom: number | null }>();
    for (const id of ids) {
      const record = stored[0]?.rows.get(id)?.[0];
      if (!record) continue;
      const rows = stored.map(({ table, rows }) => [table, (rows.get(id) ?? []).map(encodeRow)] as const);
      const logFrom = kind === 'DEVICE' ? Number(record['log_from']) : null;
      bodies.set(id, { body: { tables: rows, network: network.get(id) }, logFrom });
    }
    return bodies;
  }
}
