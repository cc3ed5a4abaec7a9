import { randomUUID } from 'node:crypto';
import type { Clock } from '@hilltop/network-server';
import type { Logger } from 'pino';
import type { Bus } from '../bus/bus.ts';
import type { Database } from '../database/database.ts';
import type { SteadyTime } from '../database/steady-time.ts';
import type { EventLog, LoggedEvent } from '../event-log/event-log.ts';
import { failPoint } from '../fail-points.ts';
import type { Configured } from '../integrations/integration.ts';
import type { Metrics } from '../metrics.ts';
import type { Statistics } from '../statistics/statistics.ts';
import type { Attempt, Kind, Tried } from './attempt.ts';
import { deleteDead } from './dead-rows.ts';
import { createFairShare } from './fair-share.ts';
import { healthy } from './health.ts';
import { nextSeq } from './lines.ts';
import { readParked } from './parked-rows.ts';
import { createRecord, type DeliveryRecord } from './record.ts';
import { createReplay, type RunningReplay } from './replay.ts';
import { insertReplay, type Replay, type ReplayRange, readReplays } from './replay-rows.ts';
import { createRunner, type Runner } from './runner.ts';
import { allSlots, slotOf } from './slots.ts';
import { loadState, neededPositions, saveState } from './state-rows.ts';
import { tidy } from './tidy.ts';

/**
 * Delivers what the log holds to every integration, or to those in some of the slots: several instances have some each.
 * What was stopped can be started again.
 */
export interface Delivery {
  start(slots?: readonly number[]): Promise<void>;
  stop(slots?: readonly number[]): Promise<void>;
  /** What is delivered to now, of one application, or of the installation when undefined. */
  of(applicationID: number | undefined): Active[];
  all(): Active[];
  find(applicationID: number | undefined, kind: string): Active | undefined;
  /** Goes on behind the newest event; what waits is forgotten. Twice at once is once. */
  resumeNow(active: Active): Promise<void>;
  /** Sends one event beside all that waits; as a dead letter it is forgotten when it arrives. */
  sendAgain(active: Active, event: LoggedEvent): Promise<Tried>;
  /** Of what has happened until now, one at a time: undefined while there is another. */
  startReplay(active: Active, range: ReplayRange, events: number): Promise<Replay | undefined>;
  replaysOf(active: Active): Promise<Replay[]>;
  cancelReplay(active: Active, id: string): Promise<boolean>;
  isReplaying(active: Active): boolean;
  /** Takes note of what was changed in the database: integrations that came, changed or went. */
  refresh(): Promise<void>;
}

/** An integration that is delivered to. */
export interface Active {
  readonly id: number;
  readonly runner: Runner;
  readonly kind: Kind;
  readonly record: DeliveryRecord;
}

export interface DeliveryNeeds {
  database: Database;
  eventLog: EventLog;
  bus: Bus;
  clock: Clock;
  /** By which events and dead letters grow old, and endpoints are given up. */
  steadyTime: SteadyTime;
  statistics: Statistics;
  metrics: Metrics;
  log: Logger;
  attempt: Attempt;
  /** How each kind delivers; integrations of other kinds are none of the engine's business. */
  kinds: Readonly<Partial<Record<string, Kind>>>;
  load: () => Promise<Configured[]>;
  atOnce: number;
  maxAgeMs: number;
  giveUpMs: number;
  random?: () => number;
}

const tickMs = 100;
const lookAgainMs = 30_000;
const tidyEveryMs = 60_000;
/** Together, so that those that work have the others. */
const degradedPart = 4;

interface Held extends Active {
  unhook: () => void;
  replays: Map<string, RunningReplay>;
}

export function createDelivery(needs: DeliveryNeeds): Delivery {
  const { database, eventLog, bus, clock, steadyTime, statistics, metrics, log, kinds, load } = needs;
  const random = needs.random ?? Math.random;
  const share = createFairShare({ most: needs.atOnce, mostDegraded: Math.ceil(needs.atOnce / degradedPart) });
  const shared = { ...needs, share, random };
  const held = new Map<number, Held>();
  /** Between two runners: nobody else begins one. */
  const moving = new Map<number, Promise<void>>();
  const beginningReplay = new Set<number>();
  const slots = new Set<number>();
  let isStale = true;
  let refreshing: Promise<void> | undefined;
  let refreshedAt = Number.NEGATIVE_INFINITY;
  let tidiedAt = clock.monotonicMs();
  let stopTicking: () => void = () => undefined;
  let listening: Promise<() => void> | undefined;
  // Wherever the log is cut, what is still to be delivered from anywhere stays.
  eventLog.hold(() => neededPositions(database));

  metrics.gauges('deliveries_in_flight', 'Deliveries under way.', 'kind', () =>
    sumBy(({ runner }) => runner.now().inFlight),
  );
  metrics.gauge('deliveries_parked', 'Events that are set aside and tried again.', () =>
    [...held.values()].reduce((sum, { runner }) => sum + runner.now().parked, 0),
  );
  metrics.gauge(
    'delivery_behind_seconds',
    'Age of the oldest event under way or waiting, of the worst integration.',
    () => {
      const now = clock.now().getTime();
      return (
        Math.max(0, ...[...held.values()].map(({ runner }) => now - (runner.now().oldestAt?.getTime() ?? now))) / 1000
      );
    },
  );
  metrics.gauges('integrations', 'Integrations by how they are doing.', 'state', () => {
    const states = new Map<string, number>();
    for (const { runner } of held.values()) {
      const state = runner.now().saved.health.state.toLowerCase();
      states.set(state, (states.get(state) ?? 0) + 1);
    }
    return states;
  });

  function sumBy(of: (active: Active) => number): Map<string, number> {
    const sums = new Map<string, number>();
    for (const one of held.values()) {
      const { kind } = one.runner.configured();
      sums.set(kind, (sums.get(kind) ?? 0) + of(one));
    }
    return sums;
  }

  // Which there are

  function refresh(): Promise<void> {
    isStale = true;
    refreshing ??= readAgain().finally(() => {
      refreshing = undefined;
    });
    return refreshing;
  }

  async function readAgain(): Promise<void> {
    while (isStale && slots.size > 0) {
      isStale = false;
      refreshedAt = clock.monotonicMs();
      try {
        const there = await load();
        const ids = new Set(there.map(({ id }) => id));
        for (const one of [...held.values()]) if (!ids.has(one.id)) await forget(one);
        for (const one of there) if (slots.has(slotOf(one.applicationID))) await take(one);
      } catch (error) {
        log.warn({ err: error }, 'integrations could not be read; tried again');
        refreshedAt = clock.monotonicMs() - lookAgainMs + 1000;
        return;
      }
    }
  }

  async function take(configured: Configured): Promise<void> {
    const kind = kinds[configured.kind];
    if (!kind || moving.has(configured.id)) return;
    const running = held.get(configured.id);
    if (!running) await begin(configured, kind);
    else if (running.runner.configured().revision !== configured.revision) running.runner.configure(configured);
  }

  async function begin(configured: Configured, kind: Kind): Promise<void> {
    const { id } = configured;
    const loaded = await loadState({ database, eventLog }, configured, clock.now());
    if (!loaded) return;
    // One whose service has ended goes on to read the log: suspended it would keep events from being cut.
    const isNew = loaded.revision !== configured.revision || kind.ended !== undefined;
    const saved = isNew ? { ...loaded, health: healthy(clock.now()) } : loaded;
    const record = createRecord({
      id,
      kind: configured.kind,
      nextSeq: await nextSeq(database, id),
      database,
      bus,
      statistics,
      metrics,
      now: () => clock.now(),
    });
    const parked = await readParked(database, id);
    const runner = createRunner(shared, configured, kind, { saved, parked, record });
    const unhook = eventLog.onAppend(configured.applicationID, () => runner.wake());
    const one: Held = { id, runner, kind, record, unhook, replays: new Map() };
    held.set(id, one);
    for (const replay of await readReplays(database, id)) if (replay.state === 'RUNNING') goOn(one, replay);
    runner.wake();
  }

  async function letGo(one: Held): Promise<void> {
    held.delete(one.id);
    await halt(one);
  }

  async function halt(one: Held): Promise<void> {
    one.unhook();
    await Promise.all([...one.replays.values(), one.runner].map((sending) => sending.stop()));
  }

  /** Another runner takes over behind the newest event; until then people see the one before. */
  async function moveToEnd(one: Held): Promise<void> {
    const { id, kind, runner } = one;
    try {
      await halt(one);
      const { saved } = runner.now();
      const position = await eventLog.end();
      await database.transaction(async () => {
        await saveState(database, id, { ...saved, position, fromAt: clock.now(), health: healthy(clock.now()) });
        await database.query
          .deleteFrom('delivery_parked')
          .where('integration_id', '=', id)
          .where('dead_at', 'is', null)
          .execute();
      });
      if (held.get(id) === one) await begin(runner.configured(), kind);
    } finally {
      moving.delete(id);
      // It stands still: the next look at what there is begins it again.
      if (held.get(id) === one) held.delete(id);
    }
    held.get(id)?.record.note('STATE', 'healthy: goes on from now, what waited was forgotten');
  }

  async function forget(one: Held): Promise<void> {
    await letGo(one);
    await statistics.remove([`integration:${one.id}`]);
  }

  // Replays

  function goOn(one: Held, begun: Replay): RunningReplay {
    const replay = createReplay(shared, one.runner, one.kind, {
      begun,
      tried: (about, tried) => one.record.tried('REPLAYED', about, tried, tried.trouble !== undefined),
    });
    // Of those that have ended the rows are enough.
    for (const [id, other] of one.replays) if (other.now().state !== 'RUNNING') one.replays.delete(id);
    one.replays.set(begun.id, replay);
    return replay;
  }

  function isReplaying({ id }: Active): boolean {
    const replays = held.get(id)?.replays.values() ?? [];
    return beginningReplay.has(id) || [...replays].some((replay) => replay.now().state === 'RUNNING');
  }

  /** To changes of integrations, from the first slot on. */
  async function listen(): Promise<void> {
    listening ??= steadyTime.moveOn().then(() => bus.subscribe('integration-changed', '', () => void refresh()));
    await listening.catch((error: unknown) => {
      listening = undefined;
      throw error;
    });
  }

  function deafen(): void {
    void listening?.then((unhook) => unhook()).catch(() => undefined);
    listening = undefined;
  }

  // Time

  function tick(): void {
    for (const { runner, replays } of held.values()) {
      runner.tick();
      for (const replay of replays.values()) replay.tick();
    }
    const nowMs = clock.monotonicMs();
    if (nowMs - refreshedAt >= lookAgainMs) void refresh();
    if (nowMs - tidiedAt >= tidyEveryMs && held.size > 0) {
      tidiedAt = nowMs;
      tidy(database, [...held.keys()], new Date(steadyTime.now()))
        .then((dropped) => dropped > 0 && metrics.count('dead_letters_dropped', {}, dropped))
        .catch((error: unknown) => log.debug({ err: error }, 'old dead letters could not be removed; tried again'));
    }
    if (slots.size > 0) stopTicking = clock.after(tickMs, tick);
  }

  return {
    start: async (some = allSlots) => {
      for (const slot of some) slots.add(slot);
      await listen();
      await refresh();
      stopTicking();
      stopTicking = clock.after(tickMs, tick);
    },
    stop: async (some = allSlots) => {
      for (const slot of some) slots.delete(slot);
      if (slots.size === 0) stopTicking();
      await refreshing;
      const ended = [...held.values()].filter(({ runner }) => !slots.has(slotOf(runner.configured().applicationID)));
      await Promise.all(ended.map(letGo));
      if (slots.size === 0) deafen();
    },
    of: (applicationID) =>
      [...held.values()].filter(({ runner }) => runner.configured().applicationID === applicationID),
    all: () => [...held.values()],
    find: (applicationID, name) =>
      [...held.values()].find(({ runner }) => {
        const { applicationID: of, kind } = runner.configured();
        return of === applicationID && kind === name;
      }),
    resumeNow: async ({ id }) => {
      const one = held.get(id);
      if (!one) return;
      const move = moving.get(id) ?? moveToEnd(one);
      moving.set(id, move);
      // What changed meanwhile was passed over.
      await move.finally(refresh);
    },
    sendAgain: async ({ id, runner, kind, record }, event) => {
      const configured = runner.configured();
      const tried = await needs.attempt({ configured, kind, events: [event], attempt: 1, done: new Set() });
      record.tried('REPLAYED', { event, attempt: 1 }, tried, true);
      if (!tried.trouble) await deleteDead(database, id, [event.id]);
      return tried;
    },
    startReplay: async (active, { to, ...range }, events) => {
      const { id } = active;
      if (isReplaying(active)) return undefined;
      beginningReplay.add(id);
      try {
        const position = await eventLog.positionAt(range.from);
        const createdAt = clock.now();
        const about = { integrationID: id, position, events, sent: 0, failed: 0, doneAhead: [], createdAt };
        const until = to < createdAt ? to : createdAt;
        const begun: Replay = { ...range, ...about, to: until, id: randomUUID(), state: 'RUNNING' };
        await insertReplay(database, begun);
        failPoint('replay begun');
        const one = held.get(id);
        if (one) goOn(one, begun).tick();
        return begun;
      } finally {
        beginningReplay.delete(id);
      }
    },
    replaysOf: async ({ id }) => {
      const rows = await readReplays(database, id);
      return rows.map((row) => held.get(id)?.replays.get(row.id)?.now() ?? row);
    },
    cancelReplay: async ({ id }, replayID) => {
      const replay = held.get(id)?.replays.get(replayID);
      await replay?.cancel();
      return replay !== undefined;
    },
    isReplaying,
    refresh,
  };
}
