import type { Clock, Log } from '@hilltop/network-server';
import type { Database } from '../database/database.ts';
import type { ServerStop } from '../database/server-runs.ts';
import type { SteadyTime } from '../database/steady-time.ts';
import type { Metrics } from '../metrics.ts';
import { PeriodicRounds } from '../periodic-rounds.ts';
import { closeOutages, type FoundOutage, openOutages, removeOldOutages, storeOutages } from './outages.ts';
import { type GatewayLife, onlineWindowMs, outageReason } from './rule.ts';
import type { GatewaySignSource } from './tables.ts';

/** A gateway went offline or came back. */
export interface GatewayTransition {
  gatewayID: string;
  organizationID: string;
  state: 'ONLINE' | 'OFFLINE';
  at: Date;
  /** Why it went offline, in words; empty when it is online. */
  reason: string;
  /** When the outage began that has ended; undefined when it is offline, and when it was never seen before. */
  offlineSince?: Date;
}

interface Dependencies {
  database: Database;
  clock: Pick<Clock, 'now' | 'monotonicMs'>;
  steadyTime: Pick<SteadyTime, 'now'>;
  serverRuns: { readonly stops: readonly ServerStop[] };
  log: Pick<Log, 'info' | 'error'>;
  metrics: Pick<Metrics, 'count'>;
  /** Called in the transaction that stores the transition. */
  onGatewayTransition: (transition: GatewayTransition) => Promise<void>;
}

interface Watched {
  /** The last sign of life, in milliseconds since 1970; null: none yet. */
  sign: number | null;
  /** When it changed, in steady time: the clock of the machine may jump. */
  changedMs: number;
  round: number;
}

interface GatewayRow extends GatewayLife {
  id: string;
  organizationID: string;
  sign: number | null;
}

const everyMs = 10_000;
const gatewaysPerRead = 1000;
/** A sign is stored at most this long after it came, so that its age shows when it changed. */
const mostDelayMs = 30_000;
const roundsPerRemoval = 360;
const gatewaysPerTransaction = 100;

/**
 * Opens an outage of a gateway that is silent for longer than its rule allows, and closes it at the next sign of life.
 * Only changes that it sees itself count, so nothing that happened while no server ran opens or closes an outage.
 */
export class GatewayOutageMonitor {
  readonly #needs: Dependencies;
  readonly #rounds: PeriodicRounds;
  #watched = new Map<string, Watched>();
  #round = 0;

  constructor(needs: Dependencies) {
    this.#needs = needs;
    this.#rounds = new PeriodicRounds({
      everyMs,
      round: () => this.round(),
      failed: (error) => needs.log.error({ err: error }, 'The state of gateways could not be checked.'),
    });
  }

  /** The gateways in memory. */
  get watchedCount(): number {
    return this.#watched.size;
  }

  start = (): void => {
    this.#watched = new Map();
    this.#round = 0;
    this.#rounds.start();
  };

  stop = (): Promise<void> => this.#rounds.stop();

  async round(): Promise<void> {
    const { database, steadyTime } = this.#needs;
    const open = await openOutages(database);
    for (let last = ''; ; ) {
      const gateways = await readGateways(database, last);
      await this.#check(gateways, open);
      if (gateways.length < gatewaysPerRead) break;
      last = gateways.at(-1)!.id;
    }
    for (const [id, { round }] of this.#watched) if (round !== this.#round) this.#watched.delete(id);
    if (this.#round % roundsPerRemoval === 0) await removeOldOutages(database, steadyTime.now());
    this.#round += 1;
  }

  async #check(gateways: readonly GatewayRow[], open: ReadonlySet<string>): Promise<void> {
    const { clock } = this.#needs;
    const now = clock.monotonicMs();
    const [silent, back, first]: [GatewayRow[], GatewayRow[], GatewayRow[]] = [[], [], []];
    for (const gateway of gateways) {
      const { id, sign } = gateway;
      const before = this.#watched.get(id);
      const changed = sign !== null && (before ? before.sign !== sign : this.#round > 0);
      const changedMs = changed ? now - this.#ageOf(sign) : (before?.changedMs ?? now);
      this.#watched.set(id, { sign, changedMs, round: this.#round });
      if (changed && open.has(id)) back.push(gateway);
      else if (changed && (before?.sign ?? null) === null) first.push(gateway);
      else if (sign !== null && !open.has(id) && now - changedMs >= onlineWindowMs(gateway)) silent.push(gateway);
    }
    await this.#inTransactions(first, (some) => this.#publishFirst(some));
    await this.#inTransactions(back, (some) => this.#close(some));
    await this.#inTransactions(silent, (some) => this.#open(some));
  }

  async #inTransactions(
    gateways: readonly GatewayRow[],
    write: (some: readonly GatewayRow[]) => Promise<void>,
  ): Promise<void> {
    for (let from = 0; from < gateways.length; from += gatewaysPerTransaction) {
      const some = gateways.slice(from, from + gatewaysPerTransaction);
      await this.#needs.database.transaction(() => write(some));
    }
  }

  async #publishFirst(gateways: readonly GatewayRow[]): Promise<void> {
    for (const { id, organizationID, sign } of gateways)
      await this.#publishTransition({
        gatewayID: id,
        organizationID,
        state: 'ONLINE',
        at: new Date(sign!),
        reason: '',
      });
  }

  /** For how long a sign may have been known elsewhere. */
  #ageOf(sign: number): number {
    return Math.min(mostDelayMs, Math.max(0, this.#needs.clock.now().getTime() - sign));
  }

  async #close(gateways: readonly GatewayRow[]): Promise<void> {
    const ends = new Map(gateways.map(({ id, sign }) => [id, new Date(sign!)]));
    const closed = await closeOutages(this.#needs.database, ends);
    for (const { id, organizationID } of gateways) {
      const outage = closed.get(id);
      if (!outage) continue;
      const { startedAt: offlineSince, endedAt: at } = outage;
      await this.#publishTransition({ gatewayID: id, organizationID, state: 'ONLINE', at, reason: '', offlineSince });
    }
  }

  async #open(gateways: readonly GatewayRow[]): Promise<void> {
    const { database, clock, metrics } = this.#needs;
    const found = gateways.map((gateway): FoundOutage => {
      const startedAt = this.#startOf(gateway);
      return { gatewayID: gateway.id, sign: gateway.sign!, startedAt, reason: outageReason(gateway) };
    });
    const { opened, reopened } = await storeOutages(database, found, clock.now());
    database.afterCommit(() => {
      metrics.count('gateway_outages', {}, opened.size);
      metrics.count('gateway_outages_joined', {}, reopened.size);
    });
    for (const [index, { gatewayID, startedAt, reason }] of found.entries())
      if (opened.has(gatewayID) || reopened.has(gatewayID))
        await this.#publishTransition({
          gatewayID,
          organizationID: gateways[index]!.organizationID,
          state: 'OFFLINE',
          at: startedAt,
          reason,
        });
  }

  /** A gateway that was online when the servers stopped is offline since they run again, as far as anybody knows. */
  #startOf(gateway: GatewayRow): Date {
    const { clock, serverRuns } = this.#needs;
    const sign = gateway.sign!;
    const windowMs = onlineWindowMs(gateway);
    const stop = serverRuns.stops.findLast(({ from, to }) => to >= sign && from - sign < windowMs);
    return new Date(Math.min(stop?.to ?? sign, clock.now().getTime()));
  }

  async #publishTransition(transition: GatewayTransition): Promise<void> {
    const { database, log, onGatewayTransition } = this.#needs;
    const { gatewayID, state, at, reason } = transition;
    database.afterCommit(() => {
      if (state === 'OFFLINE') log.info({ gatewayID, since: at, reason }, 'The gateway is offline.');
      else log.info({ gatewayID, since: at }, 'The gateway is online.');
    });
    await onGatewayTransition(transition);
  }
}

async function readGateways({ query }: Database, after: string): Promise<GatewayRow[]> {
  const rows = await query
    .selectFrom('gateway')
    .leftJoin('gateway_profile', 'gateway_profile.id', 'gateway.gateway_profile_id')
    .select(['gateway.id', 'organization_id', 'last_seen_at', 'heard_at', 'heard_link', 'link_end'])
    .select('gateway_profile.stats_interval_ms')
    .where('gateway.id', '>', after)
    .orderBy('gateway.id')
    .limit(gatewaysPerRead)
    .execute();
  return rows.map((row) => {
    // Instances of the release before write only when a network server has seen a gateway.
    const sign = Math.max(row.heard_at?.getTime() ?? 0, row.last_seen_at?.getTime() ?? 0);
    return {
      id: row.id,
      organizationID: String(row.organization_id),
      sign: sign === 0 ? null : sign,
      source: row.heard_link as GatewaySignSource | null,
      linkEnd: row.link_end,
      statsIntervalMs: row.stats_interval_ms,
    };
  });
}
