import type { Logger } from 'pino';
import type { Database } from '../database/database.ts';
import type { SteadyTime } from '../database/steady-time.ts';
import type { Metrics } from '../metrics.ts';
import { PeriodicRounds } from '../periodic-rounds.ts';

interface AuditRetentionDependencies {
  database: Database;
  steadyTime: Pick<SteadyTime, 'now'>;
  config: { auditDays: number };
  log: Pick<Logger, 'error'>;
  metrics: Pick<Metrics, 'count'>;
}

const everyMs = 600_000;
const dayMs = 86_400_000;
/** Entries of one statement: other writes wait for it. */
const slice = 500;

/** Removes old entries of the audit log. */
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
    const { database, steadyTime, config, metrics } = this.#needs;
    const before = new Date(steadyTime.now() - config.auditDays * dayMs);
    for (;;) {
      const old = database.query.selectFrom('audit').select('id').where('at', '<', before).orderBy('at').limit(slice);
      const removed = await database.query.deleteFrom('audit').where('id', 'in', old).executeTakeFirstOrThrow();
      const count = Number(removed.numDeletedRows);
      if (count > 0) metrics.count('audit_entries_removed', {}, count);
      if (count < slice) return;
    }
  }
}
