/**
 * Ends the process, or makes its storage unavailable, between any two steps of a delivery, and verifies that nothing is
 * lost, and nothing is repeated or reordered unnecessarily. To run it on both databases and more often, selected by a
 * pattern: `HILLTOP_TEST_FAIL_POINTS=50 node --test --test-name-pattern 'postgres.* retry postponed,'
 * apps/server/src/delivery/fail-points.test.ts`.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Database, DatabaseKind } from '../database/database.ts';
import { Unreachable } from '../database/unreachable.ts';
import { type DeliveryStep, deliveryStep, deliverySteps } from '../fail-points.ts';
import { databases } from '../testing/databases.ts';
import { requeueDeadLetters } from './dead-letter-rows.ts';
import { createRig, deviceOf, type Rig, refuse } from './testing/rig.ts';

const times = Number(process.env['HILLTOP_TEST_FAIL_POINTS'] ?? 1);
const kinds = times > 1 ? databases : databases.slice(0, 1);
const outageMs = 120_000;

interface Scenario extends AsyncDisposable {
  rig: Rig;
  /** Names of live events in the order of arrival, and of replayed ones. */
  arrived: string[];
  again: string[];
  wanted: string[];
  /** Runs from the first event to the end of a replay; starts the process again when it has ended. */
  run: (hasEnded: () => boolean) => Promise<void>;
}

/**
 * Starts a delivery whose endpoint refuses one device until it is fixed, another one twice, fails for a third, and
 * accepts two.
 */
async function begin(
  kind: DatabaseKind,
  wrap: (database: Database) => Database = (database) => database,
): Promise<Scenario> {
  const rig = await createRig(kind, { wrap });
  const [arrived, again, wanted]: [string[], string[], string[]] = [[], [], []];
  let isFixed = false;
  const id = await rig.add((event, { attempt, replayID }) => {
    const isFirst = event.id.endsWith('-1');
    if (!isFixed && isFirst && event.devEUI === deviceOf('bad')) throw refuse(422);
    if (!isFixed && isFirst && event.devEUI === deviceOf('odd')) throw new TypeError('undefined is not a number');
    if (isFirst && event.devEUI === deviceOf('ill') && replayID === undefined && attempt < 3) throw refuse(422);
    (replayID === undefined ? arrived : again).push(rig.nameOf(event.id));
  });

  async function append(device: string, events: number): Promise<void> {
    // Events that were not committed need not arrive.
    const names = await rig.append(device, events).catch(() => []);
    wanted.push(...names);
  }

  async function run(hasEnded: () => boolean): Promise<void> {
    let isRunning = true;
    const restartIfEnded = async () => {
      if (!isRunning || !hasEnded()) return;
      isRunning = false;
      await rig.restart();
    };
    const until = (condition: () => Promise<boolean> | boolean, description: string) =>
      rig.until(
        async () => {
          await restartIfEnded();
          // Retries wait by the wall clock.
          rig.clock.set(10_000);
          return condition();
        },
        description,
        500,
      );
    const rows = () => rig.database.query.selectFrom('delivery_parked').select(['event_id', 'dead_at']).execute();
    const replays = () => rig.delivery.listReplays(rig.active(id)).catch(() => undefined);

    for (const device of ['bad', 'odd', 'ill', 'a', 'b']) await append(device, 3);
    await restartIfEnded();
    await append('a', 5);
    await until(async () => {
      const parked = await rows();
      const dead = parked.filter(({ dead_at }) => dead_at !== null).map(({ event_id }) => rig.nameOf(event_id));
      return dead.length === parked.length && new Set([...arrived, ...dead]).size === wanted.length;
    }, 'the end of the live events');

    isFixed = true;
    let requeued = 0;
    await until(async () => {
      const parked = await rows();
      if (requeued === 0 && parked.length > 0 && parked.every(({ dead_at }) => dead_at !== null)) {
        const references = await requeueDeadLetters(rig.database, id, [], rig.clock.now());
        requeued = references.length;
        rig.active(id).runner.requeueDeadLetters(references);
      }
      return parked.length === 0;
    }, 'the end of the requeued dead letters');
    const range = { from: new Date(0), to: new Date(Date.UTC(2100, 0)), devEUI: '', types: [] };
    let replaysRequested = 0;
    await until(async () => {
      const begun = await replays();
      if (!begun) return false;
      if (begun.length === 0 && replaysRequested < 2) {
        replaysRequested += 1;
        // The call never resolves after the end of the process, and rejects while the storage is unavailable.
        rig.delivery.startReplay(rig.active(id), range, wanted.length).catch(ignoreOutage);
      }
      return begun.some(({ state }) => state === 'DONE');
    }, 'the end of a replay');
    // The process may have ended with the last step, and only a running one can be stopped.
    await restartIfEnded();
  }

  return { rig, arrived, again, wanted, run, [Symbol.asyncDispose]: () => rig[Symbol.asyncDispose]() };
}

function check({ arrived, again, wanted }: Scenario, isKilled: boolean): void {
  const firsts = [...new Set(arrived)];
  assert.deepEqual(firsts.toSorted(), wanted.toSorted(), 'each arrives');
  assert.deepEqual([...new Set(again)].toSorted(), wanted.toSorted(), 'each arrives again');
  if (!isKilled) {
    assert.equal(arrived.length, firsts.length, 'nothing arrives twice');
    assert.equal(again.length, firsts.length, 'nothing is repeated twice');
  }
  for (const device of ['a', 'b', 'ill'])
    for (const list of [firsts, [...new Set(again)]]) {
      const numbers = list.filter((name) => name.startsWith(`${device}.`)).map((name) => Number(name.split('.')[1]));
      assert.deepEqual(
        numbers,
        numbers.toSorted((one, other) => one - other),
        `the order of ${device}`,
      );
    }
}

function ignoreOutage(error: unknown): void {
  if (!(error instanceof Unreachable)) throw error;
}

/**
 * Runs a scenario with a failure at the n-th passing of a step. The number of passings varies with the reads of the log: a
 * scenario that ends before the n-th one runs again, with the failure at the same fraction of its passings.
 */
async function runWithFailure(
  wanted: number,
  of: number,
  scenario: (nth: number) => Promise<{ passes: number }>,
): Promise<void> {
  for (let nth = wanted; ; ) {
    const { passes } = await scenario(nth);
    if (passes >= nth) return;
    assert.ok(passes > 0, 'the scenario passes it');
    nth = Math.max(1, Math.min(passes, Math.floor((wanted * passes) / of)));
  }
}

/** Counts how often a scenario passes each step without failures. */
async function countSteps(kind: DatabaseKind): Promise<Map<DeliveryStep, number>> {
  const counts = new Map<DeliveryStep, number>();
  const count = (step: unknown) => void counts.set(step as DeliveryStep, (counts.get(step as DeliveryStep) ?? 0) + 1);
  await using scenario = await begin(kind);
  deliveryStep.subscribe(count);
  try {
    await scenario.run(() => false);
  } finally {
    deliveryStep.unsubscribe(count);
  }
  check(scenario, false);
  return counts;
}

/** Every use of the database fails during an outage. */
const withOutages = (isUnavailable: () => boolean) => (database: Database) =>
  new Proxy(database, {
    get: (of, name) => {
      const isWork = name === 'commit' || name === 'transaction';
      if (isWork && isUnavailable()) return () => Promise.reject(new Unreachable(undefined));
      if (name === 'query' && isUnavailable()) throw new Unreachable(undefined);
      return Reflect.get(of, name) as unknown;
    },
  });

for (const kind of kinds)
  describe(`between any two steps of a delivery on ${kind}`, async () => {
    const counts = await countSteps(kind);
    for (const step of deliverySteps)
      for (let time = 0; time < times; time += 1) {
        const passes = counts.get(step) ?? 0;
        // The first passing, and then evenly up to the last.
        const nth = 1 + Math.floor((time * passes) / times);
        it(`loses nothing when the process ends: ${step}, ${nth} of ${passes}`, () =>
          runWithFailure(nth, passes, async (at) => {
            await using scenario = await begin(kind);
            const { hasEnded, passes: seen } = scenario.rig.killAt(step, at);
            await scenario.run(hasEnded);
            check(scenario, true);
            return { passes: seen() };
          }));

        it(`loses and repeats nothing when the storage is unavailable: ${step}, ${nth} of ${passes}`, () =>
          runWithFailure(nth, passes, async (at) => {
            let backAt = Number.NEGATIVE_INFINITY;
            let now = () => 0;
            const wrap = withOutages(() => now() < backAt);
            await using scenario = await begin(kind, wrap);
            now = () => scenario.rig.clock.monotonicMs();
            let seen = 0;
            const take = (passed: unknown) => {
              if (passed !== step) return;
              seen += 1;
              if (seen === at) backAt = now() + outageMs;
            };
            deliveryStep.subscribe(take);
            try {
              await scenario.run(() => false);
            } finally {
              deliveryStep.unsubscribe(take);
            }
            check(scenario, false);
            return { passes: seen };
          }));
      }
  });
