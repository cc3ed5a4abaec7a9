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

/** How the endpoint of a test receives an event: it accepts it, or throws DeliveryError. */
export type TestEndpoint = (event: LoggedEvent, job: DeliveryJob<object>) => Promise<void> | void;

/** The delivery with a real database and event log; the test controls endpoints and time. */
export interface Rig extends AsyncDisposable {
  clock: FakeClock;
  database: Database;
  log: EventLog;
  delivery: Delivery;
  metrics: ReturnType<typeof createMetrics>;
  /** The names of the events that an integration has received, in order. */
  arrived: (integrationID: number) => string[];
  /** Creates a global integration whose events go to `endpoint`. */
  add: (endpoint?: TestEndpoint, options?: { isMany: boolean }) => Promise<number>;
  setEndpoint: (integrationID: number, endpoint: TestEndpoint) => void;
  remove: (integrationID: number) => Promise<void>;
  /** Changes its configuration. */
  revise: (integrationID: number) => Promise<void>;
  /** Logs events of a device; returns their names `<device>.<number>`. */
  append: (device: string, events?: number, type?: EventType) => Promise<string[]>;
  nameOf: (eventID: string) => string;
  /** Advances the time in steps until the condition is true. */
  until: (condition: () => boolean | Promise<boolean>, description?: string, stepMs?: number) => Promise<void>;
  /** Ends the process without a stop. */
  kill: () => Promise<void>;
  /** Ends the process when it passes the step for the n-th time from now. */
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
  let processNumber = 0;

  const arrived = (id: number) => {
    const list = arrivals.get(id) ?? [];
    arrivals.set(id, list);
    return list;
  };

  async function receive(id: number, event: LoggedEvent, job: DeliveryJob<object>): Promise<void> {
    await endpoints.get(id)?.(event, job);
    arrived(id).push(names.get(event.id)!);
  }

  const takes = ['up', 'join', 'status', 'error'] as const;
  const idOf = (job: DeliveryJob<object>) => Number((job.config as { id: string }).id);
  /** Requests of a killed process never arrive. */
  const inProcess = (startedIn: number) => async (request: () => Promise<void>) => {
    if (startedIn !== processNumber) await new Promise(() => undefined);
    await request();
    if (startedIn !== processNumber) await new Promise(() => undefined);
  };

  function adaptersOf(startedIn: number): Record<string, AnyAdapter> {
    const send = inProcess(startedIn);
    const single: AnyAdapter = {
      eventTypes: takes,
      deliver: (event, job) => send(() => receive(idOf(job), event, job)),
    };
    return {
      FAKE: single,
      MANY: {
        ...single,
        deliverBatch: {
          maxEvents: 10,
          deliver: (events, job) =>
            send(async () => {
              // One request, which takes no longer than a request with a single event.
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

  /** Subscriptions of the running process to the event log, which end with it. */
  let subscriptions: (() => void)[] = [];
  const remember = (unsubscribe: () => void) => {
    subscriptions.push(unsubscribe);
    return unsubscribe;
  };
  const ownLog: EventLog = Object.assign(Object.create(log) as EventLog, {
    onAppend: (...given: Parameters<EventLog['onAppend']>) => remember(log.onAppend(...given)),
    hold: (...given: Parameters<EventLog['retain']>) => remember(log.retain(...given)),
  });

  function end(): void {
    processNumber += 1;
    clock.crash();
    for (const unsubscribe of subscriptions) unsubscribe();
    subscriptions = [];
  }

  function start(): Delivery {
    metrics = createMetrics();
    const startedIn = processNumber;
    const wrapped = killable(wrap(database), () => startedIn === processNumber);
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
      adapters: adaptersOf(startedIn),
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
      const id = await insertTestIntegration(database, isMany ? 'MANY' : 'FAKE', clock.now());
      if (endpoint) endpoints.set(id, endpoint);
      await delivery.refresh();
      return id;
    },
    setEndpoint: (id, endpoint) => endpoints.set(id, endpoint),
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
    append: async (device, events = 1, type = 'up') => {
      const created = Array.from({ length: events }, () => {
        const seq = (sequence.get(device) ?? 0) + 1;
        sequence.set(device, seq);
        const name = `${device}.${seq}`;
        const at = clock.now();
        const devEUI = deviceOf(device);
        const id = `${devEUI}-${at.getTime()}-${seq}`;
        names.set(id, name);
        return { name, event: { id, type, devEUI, applicationID: 1, at, json: () => '{}' } as DeviceEvent };
      });
      const startedIn = processNumber;
      await database.transaction(async () => {
        for (const { event } of created) await log.append(event);
        if (startedIn !== processNumber) throw new Error('the process ended before the commit');
      });
      return created.map(({ name }) => name);
    },
    nameOf: (eventID) => names.get(eventID)!,
    until: async (condition, description = 'the condition', stepMs = 100) => {
      // Counted rather than timed, because the machine may be busy.
      for (let steps = 15_000; !(await condition()); steps -= 1) {
        if (steps === 0) assert.fail(`not reached: ${description}`);
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
      const countStep = (passed: unknown) => {
        if (passed !== step) return;
        passes += 1;
        if (passes < nth) return;
        deliveryStep.unsubscribe(countStep);
        end();
      };
      deliveryStep.subscribe(countStep);
      return { hasEnded: () => passes >= nth, passes: () => passes };
    },
    restart: async () => {
      delivery = start();
      await delivery.start();
    },
    active: (id) =>
      delivery.listAll().find((integration) => integration.id === id) ?? assert.fail(`integration ${id} does not run`),
    [Symbol.asyncDispose]: async () => {
      let hasStopped = false;
      const stopped = delivery.stop().finally(() => {
        hasStopped = true;
      });
      // A stop waits for requests in flight.
      await rig.until(() => hasStopped, 'a stop', 1000);
      await stopped;
      processNumber += 1;
      await database[Symbol.asyncDispose]();
    },
  };
  return rig;
}

/** Set inside transactions: those of a killed process fail. */
const inTransaction = new AsyncLocalStorage<true>();

/** The database of a process. After the process was killed it writes nothing any more. */
function killable(database: Database, isAlive: () => boolean): Database {
  const never = () =>
    inTransaction.getStore() ? Promise.reject(new Error('the process has ended')) : new Promise<never>(() => undefined);
  const within = <T>(work: () => T) => inTransaction.run(true, work);
  const commit: Database['commit'] = (unit) =>
    isAlive() ? database.commit('run' in unit ? { run: () => within(unit.run) } : unit) : never();
  const transaction: Database['transaction'] = (work) =>
    isAlive() ? database.transaction(() => within(work)) : never();
  return new Proxy(database, {
    get: (target, name) => {
      if (name === 'commit') return commit;
      if (name === 'transaction') return transaction;
      return Reflect.get(target, name) as unknown;
    },
  });
}

/** Inserts a global integration and returns its id. */
export async function insertTestIntegration(database: Database, kind: string, at: Date): Promise<number> {
  const { id } = await database.query
    .insertInto('integration')
    .values({ application_id: null, kind, config: {}, secrets: new Uint8Array(), created_at: at, updated_at: at })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}
