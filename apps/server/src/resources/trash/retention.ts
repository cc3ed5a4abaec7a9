import type { Logger } from 'pino';
import type { Database } from '../../database/database.ts';
import type { SteadyTime } from '../../database/steady-time.ts';
import type { Metrics } from '../../metrics.ts';
import { PeriodicRounds } from '../../periodic-rounds.ts';
import { removeTrash } from './store.ts';

interface TrashRetentionDependencies {
  database: Database;
  steadyTime: Pick<SteadyTime, 'now'>;
  config: { trashDays: number };
  log: Pick<Logger, 'error'>;
  metrics: Pick<Metrics, 'count'>;
  /** The most bytes of one organization. */
  mostBytes?: number;
}

const everyMs = 600_000;
const dayMs = 86_400_000;
const entriesPerRead = 100;
/** Some 100,000 devices. */
const usualMostBytes = 512 * 2 ** 20;

/** Removes deleted records for good: those that are too old, and the oldest of an organization that has too many. */
export class TrashRetention {
  readonly #needs: TrashRetentionDependencies;
  readonly #rounds: PeriodicRounds;

  constructor(needs: TrashRetentionDependencies) {
    this.#needs = needs;
    this.#rounds = new PeriodicRounds({
      everyMs,
      round: () => this.round(),
      failed: (error) => needs.log.error({ err: error }, 'old records of the trash could not be removed'),
    });
  }

  start = (): void => this.#rounds.start();

  stop = (): Promise<void> => this.#rounds.stop();

  async round(): Promise<void> {
    await this.#removeOld();
    await this.#removeBeyondSize();
  }

  async #removeOld(): Promise<void> {
    const { database, steadyTime, config } = this.#needs;
    const before = new Date(steadyTime.now() - config.trashDays * dayMs);
    for (;;) {
      const old = database.query.selectFrom('trash').select('id').where('deleted_at', '<=', before);
      const entries = await old.limit(entriesPerRead).execute();
      for (const { id } of entries) await this.#remove(id, 'age');
      if (entries.length < entriesPerRead) return;
    }
  }

  async #removeBeyondSize(): Promise<void> {
    const { database, mostBytes = usualMostBytes } = this.#needs;
    const { query } = database;
    const above = await query
      .selectFrom('trash')
      .select((eb) => ['organization_id', eb.fn.sum<number>('bytes').as('bytes')])
      .groupBy('organization_id')
      .having((eb) => eb.fn.sum('bytes'), '>', mostBytes)
      .execute();
    for (const { organization_id, bytes } of above) {
      let excess = Number(bytes) - mostBytes;
      while (excess > 0) {
        const entries = await query
          .selectFrom('trash')
          .select(['id', 'bytes'])
          .where('organization_id', '=', organization_id)
          .orderBy('deleted_at')
          .limit(entriesPerRead)
          .execute();
        if (entries.length === 0) break;
        for (const entry of entries) {
          if (excess <= 0) break;
          await this.#remove(entry.id, 'size');
          excess -= entry.bytes;
        }
      }
    }
  }

  async #remove(id: string, reason: 'age' | 'size'): Promise<void> {
    const records = await removeTrash(this.#needs.database, id);
    this.#needs.metrics.count('trash_records_removed', { reason }, records);
  }
}
