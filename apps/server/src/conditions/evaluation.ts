import type { Clock } from '@hilltop/network-server';
import type { Logger } from 'pino';
import type { Database } from '../database/database.ts';
import type { ServerRuns } from '../database/server-runs.ts';
import { statement } from '../database/statement.ts';
import type { Metrics } from '../metrics.ts';
import type { ConditionChanges, EvaluationRequest } from './evaluate.ts';
import type { InstallationProblem } from './other-conditions.ts';

interface EvaluationDependencies {
  /** Evaluates beside the main thread. */
  evaluate: (request: EvaluationRequest) => Promise<ConditionChanges>;
  /** What parts of the server report of the installation. */
  problems: () => Promise<readonly InstallationProblem[]>;
  database: Database;
  serverRuns: Pick<ServerRuns, 'time'>;
  clock: Pick<Clock, 'monotonicMs'>;
  log: Pick<Logger, 'error'>;
  metrics: Metrics;
  mostStored?: number;
}

const everyMs = 60_000;
const failedEvaluation = 'what needs attention could not be evaluated; it is tried again every minute';
const mostStoredOfCondition = 10_000;

/** Evaluates conditions once a minute and stores what has changed. Work of one instance. */
export class ConditionEvaluation {
  readonly #needs: EvaluationDependencies;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #isFailing = false;
  #tookMs = 0;

  constructor(needs: EvaluationDependencies) {
    this.#needs = needs;
    needs.metrics.gauge(
      'condition_evaluation_seconds',
      'How long the last evaluation of conditions took.',
      () => this.#tookMs / 1000,
    );
  }

  /** The first evaluation is a minute later, when devices and gateways have had time to send. */
  start(): void {
    this.#timer ??= setInterval(() => this.#run(), everyMs);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    await this.#running;
  }

  #run(): void {
    this.#running ??= this.evaluate()
      .then(
        () => {
          this.#isFailing = false;
        },
        (error: unknown) => {
          if (!this.#isFailing) this.#needs.log.error({ err: error }, failedEvaluation);
          this.#isFailing = true;
        },
      )
      .finally(() => {
        this.#running = undefined;
      });
  }

  async evaluate(): Promise<void> {
    const {
      evaluate,
      problems,
      database,
      serverRuns,
      clock,
      metrics,
      mostStored = mostStoredOfCondition,
    } = this.#needs;
    const time = serverRuns.time();
    const from = clock.monotonicMs();
    try {
      const changes = await evaluate({ time, problems: await problems(), mostStored });
      this.#tookMs = clock.monotonicMs() - from;
      for (const rows of changes.upserts) await this.#write(() => storeConditions(database).run({ rows }));
      for (const ids of changes.ended) await this.#write(() => endConditions(database).run({ ids }));
      await this.#write(() => storeEvaluation(database).run({ at: time.now, omitted: changes.omitted }));
      metrics.count('conditions_opened', {}, changes.opened);
    } catch (error) {
      metrics.count('condition_evaluations_failed');
      throw error;
    }
  }

  #write(run: () => Promise<unknown>): Promise<boolean> {
    return this.#needs.database.commit({ run: () => run().then(() => true) });
  }
}

const columns = 'id, condition, subject_kind, subject_id, organization_id, application_id, since, detail, rank';

/** `rows` is a JSON list of objects with these columns. */
const storeConditions = statement()({
  sql: ({ kind }) => `insert into condition (${columns})
    select ${kind === 'sqlite' ? fromJSON : columns}
    from ${kind === 'sqlite' ? 'json_each($rows) as k' : 'jsonb_populate_recordset(null::condition, $rows::jsonb)'} where true
    on conflict (subject_id, subject_kind, condition) do update set organization_id = excluded.organization_id,
      application_id = excluded.application_id, since = excluded.since, detail = excluded.detail, rank = excluded.rank`,
  given: { rows: 'text' },
});

const fromJSON = columns
  .split(', ')
  .map((column) => `k.value ->> '${column}'`)
  .join(', ');

/** `ids` is a JSON list. */
const endConditions = statement()({
  sql: ({ kind }) =>
    kind === 'sqlite'
      ? 'delete from condition where id in (select value from json_each($ids))'
      : 'delete from condition where id in (select jsonb_array_elements_text($ids::jsonb))',
  given: { ids: 'text' },
});

const storeEvaluation = statement()({
  sql: `insert into condition_evaluation (id, at, omitted) values (1, $at, $omitted)
    on conflict (id) do update set at = excluded.at, omitted = excluded.omitted`,
  given: { at: 'int8', omitted: 'text' },
});
