import type { SelectQueryBuilder } from 'kysely';
import type { Logger } from 'pino';
import type { Database } from '../database/database.ts';
import type { SteadyTime } from '../database/steady-time.ts';
import type { Tables } from '../database/tables.ts';
import type { Metrics } from '../metrics.ts';
import { PeriodicRounds } from '../periodic-rounds.ts';

interface AuditRetentionDependencies {
  database: Database;
  steadyTime: Pick<SteadyTime, 'now'>;
  config: { auditDays: number };
  mostEntries?: number;
  log: Pick<Logger, 'error'>;
  metrics: Pick<Metrics, 'count'>;
}

const everyMs = 600_000;
const dayMs = 86_400_000;
/** Entries of one statement: other writes wait for it. */
const slice = 500;

/** The entries of a year at one change every three seconds. A program that changes more would fill the disk. */
const usualMostEntries = 10_000_000;

/** Removes old entries of the audit log, and the oldest beyond a number. */
export class AuditRetention {
  readonly #needs: AuditRetentionDependencies;
  readonly #rounds: PeriodicRounds;

  constructor(needs: AuditRetentionDependencies) {
    this.#needs = needs;
    this.#rounds = new PeriodicRounds({
      everyMs,
      round: () => this.round(),
      failed: (error) => needs.log.error({ err: error }, 'old entries of the audit log could not be removed'),
    });
  }

  start = (): void => this.#rounds.start();

  stop = (): Promise<void> => this.#rounds.stop();

  async round(): Promise<void> {
    const { database, steadyTime, config, mostEntries = usualMostEntries } = this.#needs;
    const before = new Date(steadyTime.now() - config.auditDays * dayMs);
    const entries = database.query.selectFrom('audit').select('id');
    await this.#remove(entries.where('at', '<', before).orderBy('at'));
    const newest = await entries.orderBy('id', 'desc').limit(1).executeTakeFirst();
    if (newest) await this.#remove(entries.where('id', '<=', newest.id - mostEntries).orderBy('id'));
  }

  async #remove(entries: SelectQueryBuilder<Tables, 'audit', { id: number }>): Promise<void> {
    const { database, metrics } = this.#needs;
    for (;;) {
      const some = database.query.deleteFrom('audit').where('id', 'in', entries.limit(slice));
      const count = Number((await some.executeTakeFirstOrThrow()).numDeletedRows);
      if (count > 0) metrics.count('audit_entries_removed', {}, count);
      if (count < slice) return;
    }
  }
}
