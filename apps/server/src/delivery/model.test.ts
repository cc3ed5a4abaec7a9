/**
 * Compares random histories with a small model: whatever endpoints, users and processes do, every event arrives or
 * becomes a dead letter, events of a device arrive in order, and twice only after a kill. A longer run with other
 * histories: `HILLTOP_TEST_MODEL_STEPS=100000 HILLTOP_TEST_MODEL_SEEDS=4,5 node --test
 * apps/server/src/delivery/model.test.ts`.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { LoggedEvent } from '../event-log/event-log.ts';
import { DeliveryError } from '../outgoing/delivery-error.ts';
import { createRig, deviceOf, type Rig, refuse } from './testing/rig.ts';

const steps = Number(process.env['HILLTOP_TEST_MODEL_STEPS'] ?? 300);
const seeds = (process.env['HILLTOP_TEST_MODEL_SEEDS'] ?? '1,2,3').split(',').map(Number);
const devices = ['a', 'b', 'c', 'd', 'e', 'f'];

/** Mulberry32: the same history for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

interface EndpointMode {
  /** All requests succeed, all fail, those of one device are refused or fail, or all are slow. */
  is: 'good' | 'down' | 'refusing' | 'failing' | 'slow';
  device: string;
}

async function run(seed: number, { isKilled, isMany }: { isKilled: boolean; isMany: boolean }): Promise<void> {
  const random = randomOf(seed);
  const oneOf = <T>(values: readonly T[]) => values[Math.floor(random() * values.length)]!;
  await using rig = await createRig('sqlite');
  const modes = new Map<number, EndpointMode>();
  const endpointOf = (mode: () => EndpointMode) => async (event: LoggedEvent) => {
    const { is, device } = mode();
    if (is === 'down') throw new DeliveryError('endpoint', 'It refuses connections');
    if (is === 'refusing' && event.devEUI === device) throw refuse(422);
    if (is === 'failing' && event.devEUI === device) throw refuse(500);
    if (is === 'slow') await new Promise((resolve) => void rig.clock.after(2000, () => resolve(undefined)));
  };
  const add = async () => {
    const mode: EndpointMode = { is: 'good', device: '' };
    const id = await rig.add(
      endpointOf(() => mode),
      { isMany },
    );
    modes.set(id, mode);
    return id;
  };
  const ids = [await add(), await add()];
  const wanted = new Map<number, string[]>(ids.map((id) => [id, []]));
  let kills = 0;

  const actions: [weight: number, action: () => Promise<unknown> | void][] = [
    [50, () => append(oneOf(devices), 1 + Math.floor(random() * 5))],
    [20, () => rig.clock.advance(random() * 3000)],
    [2, () => rig.clock.advance(random() * 120_000)],
    [
      8,
      () =>
        void Object.assign(modes.get(oneOf(ids))!, {
          is: oneOf(['down', 'refusing', 'failing', 'slow'] as const),
          device: deviceOf(oneOf(devices)),
        }),
    ],
    [8, () => void Object.assign(modes.get(oneOf(ids))!, { is: 'good' })],
    [2, () => rig.active(oneOf(ids)).runner.suspend('by the model')],
    [3, () => rig.active(oneOf(ids)).runner.resume()],
    [2, () => rig.revise(oneOf(ids))],
    [1, () => stopped().then(() => rig.restart())],
    [1, () => replaced()],
    [isKilled ? 3 : 0, () => killed()],
  ];
  const total = actions.reduce((sum, [weight]) => sum + weight, 0);

  async function append(device: string, events: number): Promise<void> {
    const names = await rig.append(device, events);
    for (const id of ids) wanted.get(id)!.push(...names);
  }
  async function stopped(): Promise<void> {
    // A stop waits for slow requests.
    const isStopped = rig.delivery.stop().then(() => true);
    let hasEnded = false;
    void isStopped.then(() => (hasEnded = true));
    await rig.until(() => hasEnded, 'a stop');
  }
  async function killed(): Promise<void> {
    kills += 1;
    await rig.kill();
    await rig.restart();
  }
  /** Removes an integration while it delivers, and creates another one. */
  async function replaced(): Promise<void> {
    const [first] = ids as [number];
    let hasEnded = false;
    void rig.remove(first).then(() => (hasEnded = true));
    await rig.until(() => hasEnded, 'a removal');
    ids.splice(0, 1);
    const id = await add();
    ids.push(id);
    wanted.set(id, []);
  }

  for (let step = 0; step < steps; step += 1) {
    let remaining = random() * total;
    for (const [weight, action] of actions) {
      remaining -= weight;
      if (remaining > 0) continue;
      await action();
      break;
    }
  }
  for (const id of ids) {
    Object.assign(modes.get(id)!, { is: 'good' });
    rig.active(id).runner.resume();
    await settled(rig, id, wanted.get(id)!);
    check(rig, id, kills);
  }
  const before = ids.map((id) => rig.arrived(id).length);
  await stopped();
  await rig.restart();
  await rig.clock.advance(5000);
  assert.deepEqual(
    ids.map((id) => rig.arrived(id).length),
    before,
  );
}

/** Waits until every event has arrived or is a dead letter. */
async function settled(rig: Rig, id: number, wanted: readonly string[]): Promise<void> {
  const dead = async () => {
    const rows = await rig.database.query
      .selectFrom('delivery_parked')
      .select('event_id')
      .where('integration_id', '=', id)
      .where('dead_at', 'is not', null)
      .execute();
    return rows.map(({ event_id: eventID }) => rig.nameOf(eventID));
  };
  let missing: string[] = [];
  try {
    // A retry may wait for an hour.
    await rig.until(
      async () => {
        const settledNames = new Set([...rig.arrived(id), ...(await dead())]);
        missing = wanted.filter((name) => !settledNames.has(name));
        return missing.length === 0 && rig.active(id).runner.snapshot().retrying === 0;
      },
      'the last events',
      2000,
    );
  } catch (error) {
    assert.deepEqual(missing, [], `never arrived at ${id}`);
    throw error;
  }
}

function check(rig: Rig, id: number, kills: number): void {
  const arrived = rig.arrived(id);
  const firsts = [...new Set(arrived)];
  if (kills === 0) assert.deepEqual(arrived, firsts, 'nothing arrives twice without a kill');
  for (const device of devices) {
    const numbers = firsts.filter((name) => name.startsWith(`${device}.`)).map((name) => Number(name.slice(2)));
    assert.deepEqual(
      numbers,
      numbers.toSorted((one, other) => one - other),
      `the order of ${device}`,
    );
  }
}

describe('random histories of deliveries', () => {
  for (const seed of seeds)
    for (const isMany of [false, true]) {
      const how = isMany ? 'in batches' : 'one by one';
      it(`lose nothing without kills, ${how}, seed ${seed}`, () => run(seed, { isKilled: false, isMany }));
      it(`lose nothing with kills, ${how}, seed ${seed}`, () => run(seed + 100, { isKilled: true, isMany }));
    }
});
