import { unknownDeviceDays } from '@hilltop/contract';
import type { JoinReception } from '@hilltop/network-server';
import type { Selectable } from 'kysely';
import type { Database } from '../database/database.ts';
import type { SteadyTime } from '../database/steady-time.ts';

declare module '../database/tables.ts' {
  interface Tables {
    unknown_device: UnknownDeviceTable;
    unknown_device_left_out: LeftOutTable;
    hidden_unknown_device: HiddenDeviceTable;
  }
}

interface UnknownDeviceTable {
  dev_eui: string;
  join_eui: string;
  dev_nonce: number;
  network_server_id: number;
  region: string;
  /** Milliseconds since 1970. */
  first_at: number;
  last_at: number;
  times: number;
  /** JSON of receptions, best first. */
  gateways: string;
}

/** Join-requests of devices beyond the limits, by the gateway that received them best. */
interface LeftOutTable {
  gateway_id: string;
  /** Days since 1970. */
  day: number;
  times: number;
}

interface HiddenDeviceTable {
  organization_id: number;
  dev_eui: string;
  until: number;
}

/** The network server that received a device. */
export interface ReceivingNetwork {
  networkServerID: number;
  region: string;
}

/** A device that sent join-requests and is not registered. */
export interface ReceivedDevice extends ReceivingNetwork {
  devEUI: string;
  joinEUI: string;
  devNonce: number;
  firstAt: number;
  lastAt: number;
  /** Join-requests that are not stored yet. */
  times: number;
  /** Best first. */
  gateways: readonly JoinReception[];
}

export type UnknownDeviceRow = Selectable<UnknownDeviceTable>;

/** What an instance has received since it wrote last. */
interface ReceivedBatch {
  received: readonly ReceivedDevice[];
  leftOut: ReadonlyMap<string, number>;
  at: number;
}

const dayMs = 86_400_000;
export const storedMs = unknownDeviceDays * dayMs;
const mostStored = 2_000;
const mostHidden = 1_000;

/** The stored unknown devices. Several instances add to them. */
export class UnknownDeviceRows {
  readonly #database: Database;
  readonly #steadyTime: Pick<SteadyTime, 'now'>;

  constructor({ database, steadyTime }: { database: Database; steadyTime: Pick<SteadyTime, 'now'> }) {
    this.#database = database;
    this.#steadyTime = steadyTime;
  }

  async add({ received, leftOut, at }: ReceivedBatch): Promise<void> {
    if (received.length === 0 && leftOut.size === 0) return;
    await this.#database.transaction(async () => {
      if (received.length > 0) await this.#addReceived(received);
      if (leftOut.size > 0) await this.#addLeftOut(leftOut, Math.floor(at / dayMs));
      await this.#removeSurplus();
    });
  }

  /** Locks rows in one order, so that two instances do not wait for each other. */
  async #addReceived(received: readonly ReceivedDevice[]): Promise<void> {
    const rows = received.map(toRow).sort((one, other) => (one.dev_eui < other.dev_eui ? -1 : 1));
    await this.#database.query
      .insertInto('unknown_device')
      .values(rows)
      .onConflict((conflict) =>
        conflict.column('dev_eui').doUpdateSet((row) => ({
          ...{ join_eui: row.ref('excluded.join_eui'), dev_nonce: row.ref('excluded.dev_nonce') },
          ...{ network_server_id: row.ref('excluded.network_server_id'), region: row.ref('excluded.region') },
          ...{ last_at: row.ref('excluded.last_at'), gateways: row.ref('excluded.gateways') },
          times: row('unknown_device.times', '+', row.ref('excluded.times')),
        })),
      )
      .execute();
  }

  async #addLeftOut(leftOut: ReadonlyMap<string, number>, day: number): Promise<void> {
    await this.#database.query
      .insertInto('unknown_device_left_out')
      .values(
        [...leftOut]
          .toSorted(([one], [other]) => (one < other ? -1 : 1))
          .map(([gateway_id, times]) => ({ gateway_id, day, times })),
      )
      .onConflict((conflict) =>
        conflict
          .columns(['gateway_id', 'day'])
          .doUpdateSet((row) => ({ times: row('unknown_device_left_out.times', '+', row.ref('excluded.times')) })),
      )
      .execute();
  }

  /** Removes what is too old; of more devices than may be stored, those that were received once leave first. */
  async #removeSurplus(): Promise<void> {
    const { query } = this.#database;
    const since = this.#steadyTime.now() - storedMs;
    await query.deleteFrom('unknown_device').where('last_at', '<', since).execute();
    await query
      .deleteFrom('unknown_device_left_out')
      .where('day', '<', Math.floor(since / dayMs))
      .execute();
    const surplus = await query
      .selectFrom('unknown_device')
      .select('dev_eui')
      .orderBy((row) => row.case().when('times', '>', 1).then(0).else(1).end())
      .orderBy('last_at', 'desc')
      .limit(mostStored)
      .offset(mostStored)
      .execute();
    const devEUIs = surplus.map(({ dev_eui }) => dev_eui);
    if (devEUIs.length > 0) await query.deleteFrom('unknown_device').where('dev_eui', 'in', devEUIs).execute();
  }

  /** Those that are not registered, and that the organization has not hidden; the latest first. */
  async visible(organizationID: number, now: number): Promise<UnknownDeviceRow[]> {
    return await this.#database.query
      .selectFrom('unknown_device')
      .leftJoin('device', 'device.dev_eui', 'unknown_device.dev_eui')
      .selectAll('unknown_device')
      .where('device.dev_eui', 'is', null)
      .where('unknown_device.last_at', '>=', now - storedMs)
      .where((row) =>
        row.not(
          row.exists(
            row
              .selectFrom('hidden_unknown_device as hidden')
              .select('hidden.dev_eui')
              .where('hidden.organization_id', '=', organizationID)
              .whereRef('hidden.dev_eui', '=', 'unknown_device.dev_eui')
              .where('hidden.until', '>', now),
          ),
        ),
      )
      .orderBy('unknown_device.last_at', 'desc')
      .execute();
  }

  /** Those with this DevEUI or JoinEUI, registered or not; the latest first. */
  async withEUI(euis: readonly string[], now: number): Promise<UnknownDeviceRow[]> {
    return await this.#database.query
      .selectFrom('unknown_device')
      .selectAll()
      .where((row) => row.or([row('dev_eui', 'in', euis), row('join_eui', 'in', euis)]))
      .where('last_at', '>=', now - storedMs)
      .orderBy('last_at', 'desc')
      .limit(20)
      .execute();
  }

  /** Join-requests that gateways of the organization received and that are not stored by device. */
  async leftOutOf(organizationID: number, now: number): Promise<number> {
    const row = await this.#database.query
      .selectFrom('unknown_device_left_out as left_out')
      .innerJoin('gateway', 'gateway.id', 'left_out.gateway_id')
      .select((eb) => eb.fn.sum<number | string | null>('left_out.times').as('times'))
      .where('gateway.organization_id', '=', organizationID)
      .where('left_out.day', '>=', Math.floor((now - storedMs) / dayMs))
      .executeTakeFirst();
    return Number(row?.times ?? 0);
  }

  async hide(organizationID: number, devEUI: string, now: number): Promise<void> {
    await this.#database.transaction(async () => {
      const { query } = this.#database;
      const until = now + storedMs;
      await query
        .insertInto('hidden_unknown_device')
        .values({ organization_id: organizationID, dev_eui: devEUI, until })
        .onConflict((conflict) => conflict.columns(['organization_id', 'dev_eui']).doUpdateSet({ until }))
        .execute();
      const hidden = query.selectFrom('hidden_unknown_device').where('organization_id', '=', organizationID);
      const surplus = await hidden.select('dev_eui').orderBy('until', 'desc').limit(100).offset(mostHidden).execute();
      const devEUIs = surplus.map(({ dev_eui }) => dev_eui);
      if (devEUIs.length === 0) return;
      await query
        .deleteFrom('hidden_unknown_device')
        .where('organization_id', '=', organizationID)
        .where('dev_eui', 'in', devEUIs)
        .execute();
    });
  }
}

const toRow = (received: ReceivedDevice): UnknownDeviceRow => ({
  dev_eui: received.devEUI,
  join_eui: received.joinEUI,
  dev_nonce: received.devNonce,
  network_server_id: received.networkServerID,
  region: received.region,
  first_at: received.firstAt,
  last_at: received.lastAt,
  times: received.times,
  gateways: JSON.stringify(received.gateways),
});

/** The gateways that received a device, best first. */
export const receptionsOf = ({ gateways }: Pick<UnknownDeviceRow, 'gateways'>): JoinReception[] =>
  JSON.parse(gateways) as JoinReception[];
