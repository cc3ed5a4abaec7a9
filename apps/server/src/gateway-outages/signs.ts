import type { Clock, GatewaySigns, LinkKind, Log } from '@hilltop/network-server';
import { awaitAll } from '../database/await-all.ts';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { Metrics } from '../metrics.ts';
import { PeriodicRounds } from '../periodic-rounds.ts';
import type { GatewaySignSource } from './tables.ts';

interface Dependencies {
  database: Database;
  clock: Pick<Clock, 'now' | 'monotonicMs'>;
  log: Pick<Log, 'error'>;
  metrics: Pick<Metrics, 'count'>;
  /** The most gateways in memory. */
  mostGateways?: number;
}

interface Sign {
  at: Date;
  source: GatewaySignSource;
  end: string | null;
  isWritten: boolean;
  writtenMs: number;
}

const everyMs = 5_000;
/** A gateway that sends all the time is written this often. */
const rewriteAfterMs = 15_000;
const rowsPerCommit = 100;
/** A stored time that is this far ahead was written with a wrong clock. */
const aheadMs = 60_000;

/** A later sign of another instance stays. */
const writeSign = statement()({
  sql: ({ from }) => `update gateway set heard_at = $at, heard_link = $source, link_end = $end,
    outages_from = coalesce(outages_from, $at) ${from}
    where id = $id and (heard_at is null or heard_at <= $at or heard_at > $ahead)`,
  given: { id: 'text', at: 'timestamptz', source: 'text', end: 'text?', ahead: 'timestamptz' },
  batch: { rowKey: 'id' },
});

/** Collects signs of life in memory and writes them in batches, so that no message costs a statement. */
export class GatewaySignWriter implements GatewaySigns {
  readonly #needs: Dependencies;
  readonly #rounds: PeriodicRounds;
  readonly #signs = new Map<string, Sign>();
  #isOpen = true;

  constructor(needs: Dependencies) {
    this.#needs = needs;
    this.#rounds = new PeriodicRounds({
      everyMs,
      round: () => this.flush(),
      failed: (error) => needs.log.error({ err: error }, 'Signs of life of gateways could not be written.'),
    });
  }

  start = (): void => this.#rounds.start();

  /** Writes what is known. The end of connections from now on is that of the server. */
  stop = async (): Promise<void> => {
    this.#isOpen = false;
    await this.#rounds.stop();
    await this.flush(true).catch(() => undefined);
  };

  received(gatewayID: string, link: LinkKind | 'remote'): void {
    if (link !== 'relay') this.#note(gatewayID, { at: this.#needs.clock.now(), source: link, end: null });
  }

  ended(gatewayID: string, end: string): void {
    const known = this.#signs.get(gatewayID);
    // A gateway from which this instance has received nothing may have been offline before.
    if (known) this.#note(gatewayID, { at: known.at, source: known.source, end });
  }

  /** Writes the signs since the last write. `isAll`: also of gateways that were written a moment ago. */
  async flush(isAll = false): Promise<void> {
    const { database, clock } = this.#needs;
    const now = clock.monotonicMs();
    const due = this.#signs
      .entries()
      .filter(([, sign]) => !sign.isWritten && (isAll || sign.end !== null || now - sign.writtenMs >= rewriteAfterMs))
      .toArray();
    for (let from = 0; from < due.length; from += rowsPerCommit) {
      const part = due.slice(from, from + rowsPerCommit).map(([id, sign]) => ({ id, sign, written: { ...sign } }));
      await database.commit({
        run: async () => {
          await awaitAll(part.map(({ id, written }) => writeSign(database).run(rowOf(id, written))));
          return true;
        },
      });
      for (const { sign, written } of part) {
        sign.writtenMs = now;
        sign.isWritten = sign.at === written.at && sign.end === written.end;
      }
    }
  }

  #note(gatewayID: string, { at, source, end }: Pick<Sign, 'at' | 'source' | 'end'>): void {
    if (!this.#isOpen) return;
    const known = this.#signs.get(gatewayID);
    if (known) Object.assign(known, { at, source, end, isWritten: false });
    else {
      this.#makeRoom();
      this.#signs.set(gatewayID, { at, source, end, isWritten: false, writtenMs: Number.NEGATIVE_INFINITY });
    }
  }

  #makeRoom(): void {
    const { metrics, mostGateways = 50_000 } = this.#needs;
    if (this.#signs.size < mostGateways) return;
    const [first, sign] = this.#signs.entries().next().value!;
    if (!sign.isWritten) metrics.count('gateway_signs_dropped');
    this.#signs.delete(first);
  }
}

function rowOf(id: string, { at, source, end }: Sign) {
  return { id, at, source, end, ahead: new Date(at.getTime() + aheadMs) };
}
