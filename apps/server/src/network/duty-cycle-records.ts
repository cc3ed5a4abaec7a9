import { type Clock, DutyCycleUse, type OrderedAirtime } from '@hilltop/network-server';
import type { Logger } from 'pino';
import type { Bus } from '../bus/bus.ts';
import type { Database } from '../database/database.ts';
import { PeriodicRounds } from '../periodic-rounds.ts';

interface DutyCycleDependencies {
  database: Database;
  bus: Pick<Bus, 'publish' | 'subscribeToPeers'>;
  clock: Pick<Clock, 'now' | 'monotonicMs'>;
  log: Pick<Logger, 'error'>;
}

const writeEveryMs = 10_000;
const rowsPerTransaction = 50;

type SubBandMinutes = Map<number, Map<number, number>>;

/**
 * Keeps what gateways were ordered to send in the last hour across restarts, and tells peers. After a run that did not
 * end properly, everything that each gateway could have sent since the last write counts as sent.
 */
export class DutyCycleRecords {
  readonly use: DutyCycleUse;
  readonly #needs: DutyCycleDependencies;
  readonly #run = crypto.randomUUID();
  /** What this run ordered, by gateway. */
  readonly #own = new Map<string, SubBandMinutes>();
  readonly #changed = new Set<string>();
  readonly #rounds: PeriodicRounds;
  #unsubscribe: (() => void) | undefined;

  constructor(needs: DutyCycleDependencies) {
    this.#needs = needs;
    this.use = new DutyCycleUse(needs.clock);
    this.use.onOrder((ordered) => {
      this.#note(ordered);
      needs.bus.publish('airtime-ordered', '', ordered);
    });
    this.#rounds = new PeriodicRounds({
      everyMs: writeEveryMs,
      round: () => this.#write(false),
      failed: (error) =>
        needs.log.error({ err: error }, 'The airtime that gateways were ordered could not be written.'),
    });
  }

  /** Resolves when what was ordered before counts. */
  async start(): Promise<void> {
    this.#unsubscribe = await this.#needs.bus.subscribeToPeers('airtime-ordered', '', (one) => this.use.add(one));
    await this.#load();
    this.#rounds.start();
  }

  async stop(): Promise<void> {
    this.#unsubscribe?.();
    await this.#rounds.stop();
    for (const gatewayID of this.#own.keys()) this.#changed.add(gatewayID);
    await this.#write(true).catch((error: unknown) =>
      this.#needs.log.error({ err: error }, 'The airtime that gateways were ordered could not be written.'),
    );
  }

  #note({ gatewayID, subBand, minute, us }: OrderedAirtime): void {
    const subBands = this.#own.get(gatewayID) ?? new Map<number, Map<number, number>>();
    const minutes = subBands.get(subBand) ?? new Map<number, number>();
    minutes.set(minute, (minutes.get(minute) ?? 0) + us);
    subBands.set(subBand, minutes);
    this.#own.set(gatewayID, subBands);
    this.#changed.add(gatewayID);
  }

  async #load(): Promise<void> {
    const { query } = this.#needs.database;
    const rows = await query
      .selectFrom('duty_cycle_use')
      .select(['gateway_id', 'is_final', 'ordered'])
      .where('last_minute', '>=', this.use.firstMinute())
      .execute();
    for (const { gateway_id: gatewayID, is_final, ordered } of rows) {
      for (const [subBand, minutes] of JSON.parse(ordered) as [number, [number, number][]][]) {
        for (const [minute, us] of minutes) this.use.add({ gatewayID, subBand, minute, us });
        if (!is_final) this.use.add({ gatewayID, subBand, minute: this.use.minute(), us: writeEveryMs * 1000 });
      }
    }
  }

  async #write(isFinal: boolean): Promise<void> {
    const { database } = this.#needs;
    const gatewayIDs = [...this.#changed].sort();
    this.#changed.clear();
    for (let first = 0; first < gatewayIDs.length; first += rowsPerTransaction) {
      const some = gatewayIDs.slice(first, first + rowsPerTransaction);
      const rows = some.flatMap((gatewayID) => this.#rowOf(gatewayID, isFinal) ?? []);
      if (rows.length === 0) continue;
      try {
        await database.transaction(() => upsert(database, rows));
      } catch (error) {
        for (const gatewayID of gatewayIDs.slice(first)) this.#changed.add(gatewayID);
        throw error;
      }
    }
    if (gatewayIDs.length > 0)
      await database.query.deleteFrom('duty_cycle_use').where('last_minute', '<', this.use.firstMinute()).execute();
  }

  /** Undefined when all of it was too long ago. */
  #rowOf(gatewayID: string, isFinal: boolean): DutyCycleRow | undefined {
    const first = this.use.firstMinute();
    const subBands = this.#own.get(gatewayID) ?? new Map();
    for (const [subBand, minutes] of subBands) {
      for (const minute of minutes.keys()) if (minute < first) minutes.delete(minute);
      if (minutes.size === 0) subBands.delete(subBand);
    }
    if (subBands.size === 0) {
      this.#own.delete(gatewayID);
      return undefined;
    }
    const ordered = [...subBands].map(([subBand, minutes]) => [subBand, [...minutes]]);
    const last = Math.max(...[...subBands.values()].flatMap((minutes) => [...minutes.keys()]));
    return {
      gateway_id: gatewayID,
      run: this.#run,
      last_minute: last,
      is_final: isFinal,
      ordered: JSON.stringify(ordered),
    };
  }
}

interface DutyCycleRow {
  gateway_id: string;
  run: string;
  last_minute: number;
  is_final: boolean;
  ordered: string;
}

async function upsert({ query }: Database, rows: readonly DutyCycleRow[]): Promise<void> {
  await query
    .insertInto('duty_cycle_use')
    .values([...rows])
    .onConflict((oc) =>
      oc.columns(['gateway_id', 'run']).doUpdateSet((eb) => ({
        last_minute: eb.ref('excluded.last_minute'),
        is_final: eb.ref('excluded.is_final'),
        ordered: eb.ref('excluded.ordered'),
      })),
    )
    .execute();
}
