/**
 * The process ends, or its storage goes away, between any two steps of a delivery: nothing is lost, and nothing comes twice
 * or out of order that need not. On both databases, and as often as you like, in parts with a pattern:
 * `HILLTOP_TEST_FAIL_POINTS=50 node --test --test-name-pattern 'postgres.* put off,' apps/server/src/delivery/fail-points.test.ts`.
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
const awayMs = 120_000;

interface Story extends AsyncDisposable {
  rig: Rig;
  /** Of the living, in their order; those of replays apart. */
  arrived: string[];
  again: string[];
  wanted: string[];
  /** Goes from the first event to the last replay, starting the process whenever it has ended. */
  run: (hasEnded: () => boolean) => Promise<void>;
}

/** One device is refused for good, one until it is mended, nothing can be made of a third, and two are well. */
async function begin(
  kind: DatabaseKind,
  wrap: (database: Database) => Database = (database) => database,
): Promise<Story> {
  const rig = await createRig(kind, { wrap });
  const [arrived, again, wanted]: [string[], string[], string[]] = [[], [], []];
  let isMended = false;
  const id = await rig.add((event, { attempt, replayID }) => {
    const isFirst = event.id.endsWith('-1');
    if (!isMended && isFirst && event.devEUI === deviceOf('bad')) throw refuse(422);
    if (!isMended && isFirst && event.devEUI === deviceOf('odd')) throw new TypeError('undefined is not a number');
    if (isFirst && event.devEUI === deviceOf('ill') && replayID === undefined && attempt < 3) throw refuse(422);
    (replayID === undefined ? arrived : again).push(rig.nameOf(event.id));
  });

  async function happen(device: string, events: number): Promise<void> {
    // What was not committed was never acknowledged: nobody is promised it.
    const names = await rig.happen(device, events).catch(() => []);
    wanted.push(...names);
  }

  async function run(hasEnded: () => boolean): Promise<void> {
    let isRunning = true;
    const alive = async () => {
      if (!isRunning || !hasEnded()) return;
      isRunning = false;
      await rig.restart();
    };
    const until = (isSo: () => Promise<boolean> | boolean, what: string) =>
      rig.until(
        async () => {
          await alive();
          // What is set aside waits by the wall.
          rig.clock.set(10_000);
          return isSo();
        },
        what,
        500,
      );
    const rows = () => rig.database.query.selectFrom('delivery_parked').select(['event_id', 'dead_at']).execute();
    const replays = () => rig.delivery.listReplays(rig.active(id)).catch(() => undefined);

    for (const device of ['bad', 'odd', 'ill', 'a', 'b']) await happen(device, 3);
    await alive();
    await happen('a', 5);
    await until(async () => {
      const parked = await rows();
      const dead = parked.filter(({ dead_at }) => dead_at !== null).map(({ event_id }) => rig.nameOf(event_id));
      return dead.length === parked.length && new Set([...arrived, ...dead]).size === wanted.length;
    }, 'the end of the living');

    isMended = true;
    let revived = 0;
    await until(async () => {
      const parked = await rows();
      if (revived === 0 && parked.length > 0 && parked.every(({ dead_at }) => dead_at !== null)) {
        const places = await requeueDeadLetters(rig.database, id, [], rig.clock.now());
        revived = places.length;
        rig.active(id).runner.requeueDeadLetters(places);
      }
      return parked.length === 0;
    }, 'those that were given up');
    const range = { from: new Date(0), to: new Date(Date.UTC(2100, 0)), devEUI: '', types: [] };
    let asked = 0;
    await until(async () => {
      const begun = await replays();
      if (!begun) return false;
      if (begun.length === 0 && asked < 2) {
        asked += 1;
        // It answers nobody once the process has ended, and says so while the storage is away.
        rig.delivery.startReplay(rig.active(id), range, wanted.length).catch(isAway);
      }
      return begun.some(({ state }) => state === 'DONE');
    }, 'the end of a replay');
    // It may have ended with the last step, and a process that has ended cannot be stopped.
    await alive();
  }

  return { rig, arrived, again, wanted, run, [Symbol.asyncDispose]: () => rig[Symbol.asyncDispose]() };
}

function check({ arrived, again, wanted }: Story, isKilled: boolean): void {
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

function isAway(error: unknown): void {
  if (!(error instanceof Unreachable)) throw error;
}

/**
 * Tells a story with trouble at the n-th passing of a step. How often it is passed differs a little from story to story
 * (how many reads an event takes is up to the machine): one that ends before it came to that is told once more, with the
 * trouble as far in as it was to be.
 */
async function tell(wanted: number, of: number, story: (nth: number) => Promise<{ passes: number }>): Promise<void> {
  for (let nth = wanted; ; ) {
    const { passes } = await story(nth);
    if (passes >= nth) return;
    assert.ok(passes > 0, 'the story passes it');
    nth = Math.max(1, Math.min(passes, Math.floor((wanted * passes) / of)));
  }
}

/** How often a story passes each step when nothing goes wrong. */
async function countSteps(kind: DatabaseKind): Promise<Map<DeliveryStep, number>> {
  const counts = new Map<DeliveryStep, number>();
  const count = (step: unknown) => void counts.set(step as DeliveryStep, (counts.get(step as DeliveryStep) ?? 0) + 1);
  await using story = await begin(kind);
  deliveryStep.subscribe(count);
  try {
    await story.run(() => false);
  } finally {
    deliveryStep.unsubscribe(count);
  }
  check(story, false);
  return counts;
}

/** Everything a process wants of its database fails while it is away. */
const withOutages = (isAway: () => boolean) => (database: Database) =>
  new Proxy(database, {
    get: (of, name) => {
      const isWork = name === 'commit' || name === 'transaction';
      if (isWork && isAway()) return () => Promise.reject(new Unreachable(undefined));
      if (name === 'query' && isAway()) throw new Unreachable(undefined);
      return Reflect.get(of, name) as unknown;
    },
  });

for (const kind of kinds)
  describe(`between any two steps of a delivery on ${kind}`, async () => {
    const counts = await countSteps(kind);
    for (const step of deliverySteps)
      for (let time = 0; time < times; time += 1) {
        const passes = counts.get(step) ?? 0;
        // The first, and then evenly on to the last.
        const nth = 1 + Math.floor((time * passes) / times);
        it(`nothing is lost when the process ends: ${step}, ${nth} of ${passes}`, () =>
          tell(nth, passes, async (at) => {
            await using story = await begin(kind);
            const { hasEnded, passes: seen } = story.rig.killAt(step, at);
            await story.run(hasEnded);
            check(story, true);
            return { passes: seen() };
          }));

        it(`nothing is lost or repeated when the storage goes away: ${step}, ${nth} of ${passes}`, () =>
          tell(nth, passes, async (at) => {
            let backAt = Number.NEGATIVE_INFINITY;
            let now = () => 0;
            const wrap = withOutages(() => now() < backAt);
            await using story = await begin(kind, wrap);
            now = () => story.rig.clock.monotonicMs();
            let seen = 0;
            const take = (passed: unknown) => {
              if (passed !== step) return;
              seen += 1;
              if (seen === at) backAt = now() + awayMs;
            };
            deliveryStep.subscribe(take);
            try {
              await story.run(() => false);
            } finally {
              deliveryStep.unsubscribe(take);
            }
            check(story, false);
            return { passes: seen };
          }));
      }
  });
