import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as realTime } from 'node:timers/promises';
import { pino } from 'pino';
import { createFakeClock, type FakeClock } from '../../../../../packages/network-server/src/testing/fake-clock.ts';
import { inProcessBus } from '../../bus/in-process.ts';
import { settings } from '../../config.ts';
import type { Database, DatabaseKind } from '../../database/database.ts';
import { createSteadyTime } from '../../database/steady-time.ts';
import type { EventLog, LoggedEvent } from '../../event-log/event-log.ts';
import { createEventLog } from '../../event-log/log.ts';
import type { DeviceEvent, EventType } from '../../events/event.ts';
import { type DeliveryStep, deliveryStep } from '../../fail-points.ts';
import type { ConfiguredIntegration, DeliveryJob } from '../../integrations/integration.ts';
import { createMetrics } from '../../metrics.ts';
import { DeliveryError } from '../../outgoing/delivery-error.ts';
import { createStatistics } from '../../statistics/statistics.ts';
import { createTestDatabase } from '../../testing/databases.ts';
import { type AnyAdapter, createAttempt } from '../attempt.ts';
import { createDelivery, type Delivery } from '../delivery.ts';

/** What an endpoint of a test does with an event: throws DeliveryTrouble, or takes it. */
export type TestEndpoint = (event: LoggedEvent, job: DeliveryJob<object>) => Promise<void> | void;

/** The engine on a real database and log, with endpoints and time in the test's hands. */
export interface Rig extends AsyncDisposable {
  clock: FakeClock;
  database: Database;
  log: EventLog;
  delivery: Delivery;
  metrics: ReturnType<typeof createMetrics>;
  /** What arrived at an integration, in its order. */
  arrived: (integrationID: number) => string[];
  /** Sets up an integration of the whole installation whose events go to `endpoint`. */
  add: (endpoint?: TestEndpoint, options?: { isMany: boolean }) => Promise<number>;
  answer: (integrationID: number, endpoint: TestEndpoint) => void;
  remove: (integrationID: number) => Promise<void>;
  /** Changes its configuration. */
  revise: (integrationID: number) => Promise<void>;
  /** Events of a device, named `<device>.<number>`. */
  happen: (device: string, events?: number, type?: EventType) => Promise<string[]>;
  nameOf: (eventID: string) => string;
  /** Lets time pass, so much at once, until something is so. */
  until: (isSo: () => boolean | Promise<boolean>, what?: string, stepMs?: number) => Promise<void>;
  /** The process ends without a word and starts again. */
  kill: () => Promise<void>;
  /** It ends when it passes the step for the n-th time from now. */
  killAt: (step: DeliveryStep, nth: number) => { hasEnded: () => boolean; passes: () => number };
  restart: () => Promise<void>;
  active: (integrationID: number) => NonNullable<ReturnType<Delivery['listAll']>[number]>;
}

export const deviceOf = (name: string) => Buffer.from(name.padEnd(8, '_').slice(0, 8)).toString('hex');

export const refuse = (status: number, more: object = {}) =>
  new DeliveryError([400, 413, 415, 422].includes(status) ? 'event' : 'endpoint', `answered ${status}`, {
    status,
    ...more,
  });

export async function createRig(
  kind: DatabaseKind,
  {
    wrap = (database) => database,
    maxAgeMs = 86_400_000,
    giveUpMs = 3 * 86_400_000,
  }: { wrap?: (database: Database) => Database; maxAgeMs?: number; giveUpMs?: number } = {},
): Promise<Rig> {
  const clock = createFakeClock();
  const database = await createTestDatabase(kind, () => undefined);
  const logger = pino({ level: 'silent' });
  const steadyTime = createSteadyTime({ database, log: logger, clock });
  const log = await createEventLog({
    database,
    clock,
    steadyTime,
    log: logger,
    config: settings.parse({}),
    metrics: createMetrics(),
  });
  const bus = inProcessBus((error) => assert.fail(String(error)));
  const endpoints = new Map<number, TestEndpoint>();
  const arrivals = new Map<number, string[]>();
  const names = new Map<string, string>();
  const sequence = new Map<string, number>();
  let metrics = createMetrics();
  let era = 0;

  const arrived = (id: number) => {
    const list = arrivals.get(id) ?? [];
    arrivals.set(id, list);
    return list;
  };

  async function meet(id: number, event: LoggedEvent, job: DeliveryJob<object>): Promise<void> {
    await endpoints.get(id)?.(event, job);
    arrived(id).push(names.get(event.id)!);
  }

  const takes = ['up', 'join', 'status', 'error'] as const;
  const idOf = (job: DeliveryJob<object>) => Number((job.config as { id: string }).id);
  /** Requests of a process that was killed never arrive. */
  const ofEra = (mine: number) => async (work: () => Promise<void>) => {
    if (mine !== era) await new Promise(() => undefined);
    await work();
    if (mine !== era) await new Promise(() => undefined);
  };

  function kindsOf(mine: number): Record<string, AnyAdapter> {
    const alive = ofEra(mine);
    const one: AnyAdapter = {
      eventTypes: takes,
      deliver: (event, job) => alive(() => meet(idOf(job), event, job)),
    };
    return {
      FAKE: one,
      MANY: {
        ...one,
        deliverBatch: {
          maxEvents: 10,
          deliver: (events, job) =>
            alive(async () => {
              // One request, which takes no longer than that of a single event.
              await Promise.all(events.map(async (event) => endpoints.get(idOf(job))?.(event, job)));
              for (const event of events) arrived(idOf(job)).push(names.get(event.id)!);
            }),
        },
      },
    };
  }

  async function load(): Promise<ConfiguredIntegration[]> {
    const rows = await database.query.selectFrom('integration').selectAll().orderBy('id').execute();
    return rows.map((row) => ({
      id: row.id,
      kind: row.kind,
      revision: row.revision,
      config: { ...row.config, id: String(row.id) },
      applicationID: row.application_id ?? undefined,
    }));
  }

  /** What the living process has hung on to the log: it ends with it. */
  let hooks: (() => void)[] = [];
  const hung = (off: () => void) => {
    hooks.push(off);
    return off;
  };
  const ownLog: EventLog = Object.assign(Object.create(log) as EventLog, {
    onAppend: (...given: Parameters<EventLog['onAppend']>) => hung(log.onAppend(...given)),
    hold: (...given: Parameters<EventLog['hold']>) => hung(log.hold(...given)),
  });

  function end(): void {
    era += 1;
    clock.crash();
    for (const off of hooks) off();
    hooks = [];
  }

  function start(): Delivery {
    metrics = createMetrics();
    const mine = era;
    const wrapped = killable(wrap(database), () => mine === era);
    const statistics = createStatistics({ database: wrapped, log: logger, clock, steadyTime, metrics });
    const attempt = createAttempt({
      http: { send: () => assert.fail('nothing is sent in these tests') },
      clock,
      lookups: { gatewayNames: async () => new Map(), variables: async () => ({}) },
    });
    return createDelivery({
      database: wrapped,
      eventLog: ownLog,
      bus,
      clock,
      steadyTime,
      statistics,
      metrics,
      log: logger,
      attempt,
      loadIntegrations: load,
      adapters: kindsOf(mine),
      maxInFlight: 256,
      maxAgeMs,
      giveUpMs,
      random: () => 0.5,
    });
  }

  let delivery = start();
  await delivery.start();

  const rig: Rig = {
    clock,
    database,
    log,
    get delivery() {
      return delivery;
    },
    get metrics() {
      return metrics;
    },
    arrived,
    add: async (endpoint, { isMany } = { isMany: false }) => {
      const at = clock.now();
      const { id } = await database.query
        .insertInto('integration')
        .values({
          application_id: null,
          kind: isMany ? 'MANY' : 'FAKE',
          config: {},
          secrets: new Uint8Array(),
          created_at: at,
          updated_at: at,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      if (endpoint) endpoints.set(id, endpoint);
      await delivery.refresh();
      return id;
    },
    answer: (id, endpoint) => endpoints.set(id, endpoint),
    remove: async (id) => {
      await database.query.deleteFrom('integration').where('id', '=', id).execute();
      await delivery.refresh();
    },
    revise: async (id) => {
      await database.query
        .updateTable('integration')
        .set((eb) => ({ revision: eb('revision', '+', 1) }))
        .where('id', '=', id)
        .execute();
      await delivery.refresh();
    },
    happen: async (device, events = 1, type = 'up') => {
      const made = Array.from({ length: events }, () => {
        const seq = (sequence.get(device) ?? 0) + 1;
        sequence.set(device, seq);
        const name = `${device}.${seq}`;
        const at = clock.now();
        const devEUI = deviceOf(device);
        const id = `${devEUI}-${at.getTime()}-${seq}`;
        names.set(id, name);
        return { name, event: { id, type, devEUI, applicationID: 1, at, json: () => '{}' } as DeviceEvent };
      });
      const mine = era;
      await database.transaction(async () => {
        for (const { event } of made) await log.append(event);
        if (mine !== era) throw new Error('the process ended before the commit');
      });
      return made.map(({ name }) => name);
    },
    nameOf: (eventID) => names.get(eventID)!,
    until: async (isSo, what = 'what was waited for', stepMs = 100) => {
      // Counted and not timed: a machine may stand still for a while.
      for (let left = 15_000; !(await isSo()); left -= 1) {
        if (left === 0) assert.fail(`never came: ${what}`);
        await clock.advance(stepMs);
        await realTime(1);
      }
    },
    kill: async () => {
      end();
      await database.ping();
    },
    killAt: (step, nth) => {
      let passes = 0;
      const look = (passed: unknown) => {
        if (passed !== step) return;
        passes += 1;
        if (passes < nth) return;
        deliveryStep.unsubscribe(look);
        end();
      };
      deliveryStep.subscribe(look);
      return { hasEnded: () => passes >= nth, passes: () => passes };
    },
    restart: async () => {
      delivery = start();
      await delivery.start();
    },
    active: (id) => delivery.listAll().find((one) => one.id === id) ?? assert.fail(`integration ${id} is not there`),
    [Symbol.asyncDispose]: async () => {
      let isOver = false;
      const stopped = delivery.stop().finally(() => {
        isOver = true;
      });
      // It waits for what is under way, for a while.
      await rig.until(() => isOver, 'a stop', 1000);
      await stopped;
      era += 1;
      await database[Symbol.asyncDispose]();
    },
  };
  return rig;
}

/** Whether a transaction of the process is open: that one ends with it. */
const inTransaction = new AsyncLocalStorage<true>();

/** A database that is out of reach for a process that was killed: what it still wants to write is never written. */
function killable(database: Database, isAlive: () => boolean): Database {
  const never = () =>
    inTransaction.getStore() ? Promise.reject(new Error('the process has ended')) : new Promise<never>(() => undefined);
  const within = <T>(work: () => T) => inTransaction.run(true, work);
  const commit: Database['commit'] = (unit) =>
    isAlive() ? database.commit('run' in unit ? { run: () => within(unit.run) } : unit) : never();
  const transaction: Database['transaction'] = (work) =>
    isAlive() ? database.transaction(() => within(work)) : never();
  return new Proxy(database, {
    get: (of, name) => {
      if (name === 'commit') return commit;
      if (name === 'transaction') return transaction;
      return Reflect.get(of, name) as unknown;
    },
  });
}
