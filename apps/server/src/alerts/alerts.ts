import type { Clock } from '@hilltop/network-server';
import { sql } from 'kysely';
import type { Logger } from 'pino';
import type { Database } from '../database/database.ts';
import type { ServerRuns } from '../database/server-runs.ts';
import type { SteadyTime } from '../database/steady-time.ts';
import { formatCursor, noGaps, parseCursor } from '../event-log/cursor.ts';
import type { EventLog } from '../event-log/event-log.ts';
import type { AlertChanges } from '../history/alert-changes.ts';
import type { History } from '../history/history.ts';
import type { Metrics } from '../metrics.ts';
import { PeriodicRounds } from '../periodic-rounds.ts';
import { composeMessages } from './compose-messages.ts';
import { removeOldAlerts } from './retention.ts';
import type { SendingDependencies } from './send-message.ts';
import { MessageSender } from './sender.ts';
import { repeatAlerts, writeChanges } from './write-changes.ts';

export interface AlertsDependencies extends Omit<SendingDependencies, 'now'> {
  database: Database;
  serverRuns: Pick<ServerRuns, 'time'>;
  steadyTime: Pick<SteadyTime, 'now'>;
  eventLog: Pick<EventLog, 'end' | 'retain'>;
  history: Pick<History, 'alerts'>;
  clock: Clock;
  log: Logger;
  metrics: Pick<Metrics, 'count' | 'gauge' | 'gauges' | 'observe'>;
}

const roundEveryMs = 2000;
const conditionsEveryMs = 60_000;
const retentionEveryMs = 600_000;
/** After a start, what was wrong before is evaluated first: our own downtime begins no alert. */
const graceMs = 120_000;
/** How long a condition stays away before its alert resolves. */
const settleMs = 300_000;
/** A cursor that only moved is written this often. */
const cursorEveryMs = 10_000;
/** Changes of one transaction with the cursor. */
const mostWithCursor = 200;
const mostOrganizations = 100;

/** Turns conditions and values into alerts and messages, while this instance has the lease. */
export class Alerts {
  readonly #needs: AlertsDependencies;
  readonly #rounds: PeriodicRounds;
  readonly #sender: MessageSender;
  #firing: ReadonlyMap<string, number> = new Map();
  #oldestWaitingAt: number | undefined;
  /** The position of the event log up to which values were compared. */
  #pos: number | undefined;
  #posWrittenAt = 0;
  /** The database has a position. */
  #isStored = false;
  #startedAt = 0;
  #conditionsAt = Number.NEGATIVE_INFINITY;
  #retentionAt = Number.NEGATIVE_INFINITY;
  #running: Promise<unknown> = Promise.resolve();

  constructor(needs: AlertsDependencies) {
    this.#needs = needs;
    this.#sender = new MessageSender({ ...needs, now: () => needs.clock.now(), time: needs.serverRuns.time });
    this.#rounds = new PeriodicRounds({
      everyMs: roundEveryMs,
      round: () => this.round(),
      failed: (error) => {
        needs.metrics.count('alert_rounds_failed');
        needs.log.error({ err: error }, 'alerts could not be evaluated; this is tried again every 2 seconds');
      },
    });
    const { metrics, clock } = needs;
    metrics.gauges('alerts_firing', 'Alerts that fire or are acknowledged.', 'organization', () => this.#firing);
    metrics.gauge('alert_messages_waiting_seconds', 'How long the oldest message about alerts waits.', () =>
      this.#oldestWaitingAt === undefined ? 0 : Math.max(0, (clock.now().getTime() - this.#oldestWaitingAt) / 1000),
    );
  }

  start = (): void => {
    this.#startedAt = this.#needs.clock.monotonicMs();
    this.#pos = undefined;
    this.#conditionsAt = Number.NEGATIVE_INFINITY;
    this.#sender.start();
    // A round starts the history worker: the start of the server has priority.
    this.#rounds.start({ isFirstLater: true });
  };

  stop = async (): Promise<void> => {
    await this.#rounds.stop();
    await this.#running.catch(() => undefined);
    await this.#sender.stop();
    this.#firing = new Map();
    this.#oldestWaitingAt = undefined;
  };

  /** A rule changed: conditions are evaluated in the next round. */
  evaluateSoon = (): void => {
    this.#conditionsAt = Number.NEGATIVE_INFINITY;
  };

  /** Evaluates what is due, writes messages and begins to send them. Rounds run one after the other. */
  round(): Promise<void> {
    const next = this.#running.catch(() => undefined).then(() => this.#round());
    this.#running = next;
    return next;
  }

  /** Resolves when no message is being sent. */
  settled(): Promise<void> {
    return this.#sender.settled();
  }

  async #round(): Promise<void> {
    const { database, clock, serverRuns, steadyTime } = this.#needs;
    const elapsedMs = clock.monotonicMs();
    const hasRules = await isAnyRuleEnabled(database);
    await this.#compareValues(hasRules);
    if (elapsedMs - this.#conditionsAt >= conditionsEveryMs) {
      this.#conditionsAt = elapsedMs;
      if (hasRules) await this.#compareConditions();
      await repeatAlerts(database, serverRuns.time());
      await this.#countFiring();
    }
    await composeMessages(this.#needs, serverRuns.time());
    await this.#sender.look();
    this.#oldestWaitingAt = await oldestWaitingMessage(database);
    if (elapsedMs - this.#retentionAt < retentionEveryMs) return;
    this.#retentionAt = elapsedMs;
    await removeOldAlerts(this.#needs, steadyTime.now());
  }

  async #compareConditions(): Promise<void> {
    const { database, history, clock, serverRuns, metrics } = this.#needs;
    const time = serverRuns.time();
    const from = clock.monotonicMs();
    const mayFire = from - this.#startedAt >= graceMs;
    const changes = await history.alerts.conditionAlerts({ time, mayFire, settleMs });
    await writeChanges(database, changes, time.now);
    this.#count(changes);
    metrics.observe('alert_evaluation_seconds', { of: 'conditions' }, (clock.monotonicMs() - from) / 1000);
  }

  async #compareValues(hasAnyRules: boolean): Promise<void> {
    const { history, clock, serverRuns, metrics } = this.#needs;
    const stored = (this.#pos ??= await this.#storedPosition());
    // Without rules the history worker is not even started.
    if (!hasAnyRules) return this.#forgetPosition(await this.#settledEnd());
    for (let pos = stored; ; ) {
      const upTo = await this.#settledEnd();
      const time = serverRuns.time();
      const from = clock.monotonicMs();
      const { pos: reached, hasRules, ...changes } = await history.alerts.valueAlerts({ pos, upTo, time });
      if (!hasRules) return this.#forgetPosition(reached);
      await this.#write(changes, reached, time.now);
      this.#count(changes);
      metrics.observe('alert_evaluation_seconds', { of: 'values' }, (clock.monotonicMs() - from) / 1000);
      if (reached >= upTo) return;
      pos = reached;
    }
  }

  /** The position up to which no event can appear any more. */
  async #settledEnd(): Promise<number> {
    const { pos, gaps } = parseCursor(await this.#needs.eventLog.end());
    return Math.min(pos, ...[...gaps].map((gap) => gap - 1));
  }

  async #storedPosition(): Promise<number> {
    const stored = await storedCursor(this.#needs.database);
    this.#isStored = stored !== undefined;
    return stored ?? (await this.#settledEnd());
  }

  /** Without rules on values no event has to stay in the log. */
  async #forgetPosition(pos: number): Promise<void> {
    this.#pos = pos;
    if (!this.#isStored) return;
    await this.#needs.database.query.deleteFrom('alert_cursor').execute();
    this.#isStored = false;
  }

  /** Few changes are written with the position: events that are compared again after a crash change nothing. */
  async #write(changes: AlertChanges, pos: number, now: number): Promise<void> {
    const { database, clock } = this.#needs;
    const { opened, fired, counted, cleared, resolved, dropped } = changes;
    const count = [opened, fired, counted, cleared, resolved, dropped].reduce((sum, some) => sum + some.length, 0);
    const isDue = pos !== this.#pos && clock.monotonicMs() - this.#posWrittenAt >= cursorEveryMs;
    const write = async () => {
      if (count > 0) await writeChanges(database, changes, now);
      await writeCursor(database, pos);
    };
    this.#pos = pos;
    if (count === 0 && !isDue && this.#isStored) return;
    if (count > 0 && count <= mostWithCursor) await database.transaction(write);
    else await write();
    this.#isStored = true;
    this.#posWrittenAt = clock.monotonicMs();
  }

  #count({ omitted }: AlertChanges): void {
    if (omitted > 0) this.#needs.metrics.count('alerts_omitted', {}, omitted);
  }

  async #countFiring(): Promise<void> {
    const { query } = this.#needs.database;
    const rows = await query
      .selectFrom('alert')
      .select((eb) => ['organization_id', eb.fn.countAll<number>().as('count')])
      .where('state', 'in', ['FIRING', 'ACKNOWLEDGED'])
      .groupBy('organization_id')
      .orderBy('organization_id')
      .execute();
    const others = rows.slice(mostOrganizations).reduce((sum, { count }) => sum + Number(count), 0);
    const named = rows
      .slice(0, mostOrganizations)
      .map((row) => [String(row.organization_id), Number(row.count)] as const);
    this.#firing = new Map(others > 0 ? [...named, ['other', others]] : named);
  }
}

async function isAnyRuleEnabled({ query }: Database): Promise<boolean> {
  const rules = query.selectFrom('alert_rule').select('id').where(sql<boolean>`is_enabled`).limit(1);
  return (await rules.executeTakeFirst()) !== undefined;
}

/** When the oldest message that waits was written. */
async function oldestWaitingMessage({ query }: Database): Promise<number | undefined> {
  const oldest = await query
    .selectFrom('alert_message')
    .select((eb) => eb.fn.min('created_at').as('at'))
    .where('state', '=', 'WAITING')
    .executeTakeFirstOrThrow();
  return oldest.at === null ? undefined : Number(oldest.at);
}

async function storedCursor({ query }: Database): Promise<number | undefined> {
  return (await query.selectFrom('alert_cursor').select('pos').executeTakeFirst())?.pos;
}

async function writeCursor({ query }: Database, pos: number): Promise<void> {
  const row = { id: 1, pos };
  await query
    .insertInto('alert_cursor')
    .values(row)
    .onConflict((on) => on.column('id').doUpdateSet({ pos }))
    .execute();
}

/** Events stay in the log until their values were compared. Every instance holds them back. */
export function retainForAlerts({ database, eventLog }: Pick<AlertsDependencies, 'database' | 'eventLog'>): () => void {
  return eventLog.retain(async () => {
    const pos = await storedCursor(database);
    return pos === undefined ? [] : [formatCursor({ pos, gaps: noGaps })];
  });
}
