import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Database } from '../database/database.ts';
import type { Unit } from '../database/unit.ts';
import { Unreachable } from '../database/unreachable.ts';
import { columns, toLogged } from '../event-log/row.ts';
import { DeliveryError, DeliveryInterrupted } from '../outgoing/delivery-error.ts';
import { databases } from '../testing/databases.ts';
import { readAttempts } from './attempt-rows.ts';
import { countDeadLetters, requeueDeadLetters } from './dead-letter-rows.ts';
import { createRig, deviceOf, type Rig, refuse } from './testing/rig.ts';

const stateOf = (rig: Rig, id: number) => rig.active(id).runner.snapshot().state.health;

/** Wraps the commits of the delivery. */
const committing = (commit: (database: Database, unit: Unit) => Promise<boolean>) => (database: Database) =>
  new Proxy(database, {
    get: (of, name) => (name === 'commit' ? (unit: Unit) => commit(of, unit) : Reflect.get(of, name)),
  });

/** Makes new readers wait before they return events, when `isHeld` says so, until `goOn` is called. */
function holdReading({ log }: Rig, isHeld: (read: number, found: number) => boolean, most = Number.POSITIVE_INFINITY) {
  const { promise: mayGoOn, resolve: goOn } = Promise.withResolvers<void>();
  const { promise: reading, resolve: isReading } = Promise.withResolvers<void>();
  const reader = log.reader.bind(log);
  log.reader = (applicationID, after) => {
    const one = reader(applicationID, after);
    let read = 0;
    const next = async (limit: number) => {
      const events = await one.next(Math.min(limit, most));
      if (isHeld(read, events.length)) {
        isReading();
        await mayGoOn;
      }
      read += events.length;
      return events;
    };
    return { next, position: (open) => one.position(open) };
  };
  return { reading, goOn };
}

const outcomes = async (rig: Rig, id: number) => {
  await rig.active(id).runner.store();
  const { rows } = await readAttempts(rig.database, id, { outcome: '', devEUI: '', limit: 500, offset: 0 });
  return rows.map(({ outcome }) => outcome).reverse();
};

for (const kind of databases) {
  describe(`stored deliveries on ${kind}`, () => {
    it('sends each event after the creation of the integration once, in the order of its device', async () => {
      await using rig = await createRig(kind);
      await rig.append('early', 3);
      await rig.clock.advance(5000);
      const id = await rig.add();
      const [a, b] = [await rig.append('a', 50), await rig.append('b', 50)];
      await rig.until(() => rig.arrived(id).length === 100);
      const of = (device: string) => rig.arrived(id).filter((name) => name.startsWith(`${device}.`));
      assert.deepEqual([of('a'), of('b'), of('early')], [a, b, []]);
    });

    it('continues after a stop and sends nothing twice', async () => {
      await using rig = await createRig(kind);
      const id = await rig.add();
      await rig.append('a', 10);
      await rig.until(() => rig.arrived(id).length === 10);
      await rig.delivery.stop();
      await rig.append('a', 10);
      await rig.restart();
      await rig.until(() => rig.arrived(id).length === 20);
      assert.equal(new Set(rig.arrived(id)).size, 20);
    });

    it('remembers over a restart which events were completed ahead of an earlier one', async () => {
      await using rig = await createRig(kind);
      const held = deviceOf('a');
      let isAway = true;
      const id = await rig.add(({ devEUI }) => {
        if (isAway && devEUI === held) throw refuse(500);
      });
      await rig.append('a', 1);
      await rig.append('b', 5);
      await rig.until(() => rig.arrived(id).length === 5);
      for (let process = 0; process < 2; process += 1) {
        await rig.delivery.stop();
        await rig.restart();
      }
      isAway = false;
      await rig.until(() => rig.arrived(id).includes('a.1'));
      assert.deepEqual(rig.arrived(id).toSorted(), ['a.1', 'b.1', 'b.2', 'b.3', 'b.4', 'b.5']);
    });

    it('loses nothing when the process is killed, and repeats only the last events', async () => {
      await using rig = await createRig(kind);
      const id = await rig.add();
      await rig.append('a', 10);
      await rig.until(() => rig.arrived(id).length === 10);
      await rig.kill();
      await rig.append('a', 10);
      await rig.restart();
      await rig.until(() => new Set(rig.arrived(id)).size === 20);
      const last = rig.arrived(id).slice(-20);
      assert.deepEqual(
        last.slice(-10),
        Array.from({ length: 10 }, (_, at) => `a.${at + 11}`),
      );
    });

    it('repeats interrupted requests in order, without a failure of event or endpoint', async () => {
      await using rig = await createRig(kind);
      const tries: string[] = [];
      let left = 8;
      const id = await rig.add(({ id: eventID }) => {
        tries.push(rig.nameOf(eventID));
        left -= 1;
        if (left >= 0) throw new DeliveryInterrupted('The thread that sends has ended.');
      });
      await rig.append('a', 3);
      await rig.append('b', 3);
      await rig.until(() => rig.arrived(id).length === 6);
      for (const device of ['a', 'b']) {
        const of = (names: readonly string[]) => names.filter((name) => name.startsWith(`${device}.`));
        assert.deepEqual(
          of(rig.arrived(id)),
          [1, 2, 3].map((number) => `${device}.${number}`),
        );
        assert.deepEqual(of(tries), of(tries).toSorted());
      }
      assert.equal(tries.length, 14);
      assert.deepEqual([stateOf(rig, id).failingSince, rig.active(id).runner.snapshot().retrying], [undefined, 0]);
      assert.deepEqual(new Set(await outcomes(rig, id)), new Set(['DELIVERED']));
    });

    it('moves a refused event and the later ones of its device to the retry queue, and retries it three times', async () => {
      await using rig = await createRig(kind);
      const at: number[] = [];
      const id = await rig.add(({ devEUI, id: eventID }) => {
        if (devEUI !== deviceOf('bad') || !eventID.endsWith('-1')) return;
        at.push(Math.round(rig.clock.now().getTime() / 1000));
        throw refuse(422, { excerpt: 'no such field' });
      });
      await rig.append('bad', 3);
      await rig.append('good', 3);
      await rig.until(() => rig.arrived(id).length === 3, 'the accepted events');
      await rig.until(() => rig.active(id).runner.snapshot().retrying === 3);
      assert.equal(stateOf(rig, id).state, 'DEGRADED');
      await rig.append('bad', 1);
      await rig.until(() => rig.arrived(id).length === 6, 'the later events');
      assert.deepEqual(rig.arrived(id).slice(3), ['bad.2', 'bad.3', 'bad.4']);
      const waits = at.slice(1).map((second, index) => second - at[index]!);
      const late = waits.map((wait, index) => wait - [10, 60, 300][index]!);
      assert.ok(waits.length === 3 && late.every((by) => by >= -1 && by <= 5), waits.join());
      await rig.until(() => stateOf(rig, id).state === 'HEALTHY');
      const dead = await rig.database.query.selectFrom('delivery_parked').selectAll().execute();
      assert.deepEqual(
        dead.map(({ event_id, attempts, status, dead_at }) => [event_id.slice(-2), attempts, status, dead_at !== null]),
        [['-1', 4, 422, true]],
      );
      await rig.until(() => stateOf(rig, id).state === 'HEALTHY');
      assert.deepEqual(
        (await outcomes(rig, id)).filter((outcome) => outcome !== 'DELIVERED' && outcome !== 'STATE'),
        ['PARKED', 'RETRIED', 'RETRIED', 'DEAD'],
      );
    });

    it('does not repeat a completed part of a delivery, even after a restart', async () => {
      await using rig = await createRig(kind);
      const parts: string[] = [];
      let isFixed = false;
      const id = await rig.add(async (_, job) => {
        await job.once('first', async () => void parts.push('first'));
        await job.once('second', async () => {
          if (!isFixed) throw refuse(422);
          parts.push('second');
        });
      });
      await rig.append('a', 1);
      await rig.until(() => rig.active(id).runner.snapshot().retrying === 1);
      await rig.delivery.stop();
      isFixed = true;
      await rig.restart();
      await rig.until(() => rig.arrived(id).length === 1);
      assert.deepEqual(parts, ['first', 'second']);
    });

    it('deletes all rows of an integration that is removed while it delivers', async () => {
      await using rig = await createRig(kind);
      const id = await rig.add(({ devEUI }) => {
        if (devEUI === deviceOf('bad')) throw refuse(422);
      });
      await rig.append('bad', 2);
      await rig.append('good', 100);
      await rig.until(() => rig.active(id).runner.snapshot().retrying === 2);
      await rig.remove(id);
      assert.deepEqual(rig.delivery.listAll(), []);
      for (const table of ['integration_state', 'delivery_parked', 'delivery_log'] as const)
        assert.deepEqual(await rig.database.query.selectFrom(table).selectAll().execute(), [], table);
    });
  });
}

const kind = 'sqlite';

describe('the delivery', () => {
  it('has at most one request per device in flight', async () => {
    await using rig = await createRig(kind);
    const now = new Map<string, number>();
    let most = 0;
    const id = await rig.add(async ({ devEUI }) => {
      const count = (now.get(devEUI) ?? 0) + 1;
      now.set(devEUI, count);
      assert.equal(count, 1);
      most = Math.max(most, now.size);
      await new Promise((resolve) => void rig.clock.after(50, () => resolve(undefined)));
      now.delete(devEUI);
    });
    for (const device of ['a', 'b', 'c', 'd']) await rig.append(device, 5);
    await rig.until(() => rig.arrived(id).length === 20);
    assert.ok(most > 1);
  });

  it('skips events that the adapter does not deliver', async () => {
    await using rig = await createRig(kind);
    const id = await rig.add();
    await rig.append('a', 1, 'txack');
    await rig.append('a', 1, 'join');
    await rig.until(() => rig.arrived(id).length === 1);
    assert.deepEqual(rig.arrived(id), ['a.2']);
  });

  it('pauses longer after each failure of an endpoint, and delivers everything when it is available again', async () => {
    await using rig = await createRig(kind);
    let tries = 0;
    const id = await rig.add(() => {
      tries += 1;
      throw new DeliveryError('endpoint', 'It refuses connections');
    });
    for (const device of ['a', 'b', 'c']) await rig.append(device, 3);
    await rig.until(() => tries >= 8);
    assert.equal(stateOf(rig, id).state, 'DEGRADED');
    assert.match(stateOf(rig, id).reason, /refuses connections/);
    const before = tries;
    await rig.clock.advance(60_000);
    assert.ok(tries - before <= 2, `${tries - before} tries in a minute`);
    assert.ok(rig.active(id).runner.snapshot().nextTryAt! > rig.clock.now());
    rig.setEndpoint(id, () => undefined);
    await rig.until(() => rig.arrived(id).length === 9);
    assert.deepEqual(
      rig.arrived(id).filter((name) => name.startsWith('a')),
      ['a.1', 'a.2', 'a.3'],
    );
    await rig.until(() => stateOf(rig, id).state === 'HEALTHY');
  });

  it('is degraded when an endpoint has not answered for ten seconds', async () => {
    await using rig = await createRig(kind);
    const id = await rig.add(async () => {
      await new Promise((resolve) => void rig.clock.after(10_000, () => resolve(undefined)));
      throw new DeliveryError('endpoint', 'It did not answer in time');
    });
    for (const device of ['a', 'b', 'c']) await rig.append(device, 1);
    const { promise: quiet, resolve: isQuiet } = Promise.withResolvers<void>();
    rig.clock.after(11_000, isQuiet);
    await Promise.all([quiet, rig.clock.advance(12_000)]);
    assert.equal(stateOf(rig, id).state, 'DEGRADED');
    assert.match(stateOf(rig, id).reason, /did not answer/);
  });

  it('stays healthy when an endpoint fails only for a moment', async () => {
    await using rig = await createRig(kind);
    let tries = 0;
    const id = await rig.add(() => {
      tries += 1;
      if (tries <= 3) throw new DeliveryError('endpoint', 'It closed the connection');
    });
    const names = [...(await rig.append('a', 2)), ...(await rig.append('b', 2)), ...(await rig.append('c', 2))];
    await rig.until(() => rig.arrived(id).length === names.length);
    assert.ok(!(await outcomes(rig, id)).includes('STATE'));
  });

  it('waits for the time that an endpoint asks for', async () => {
    await using rig = await createRig(kind);
    const at: number[] = [];
    const id = await rig.add(() => {
      at.push(rig.clock.now().getTime());
      if (at.length === 1) throw refuse(429, { retryAfterMs: 90_000 });
    });
    await rig.append('a', 2);
    await rig.until(() => at.length === 1);
    await rig.clock.advance(1000);
    // The integration is degraded during the pause.
    assert.equal(stateOf(rig, id).state, 'DEGRADED');
    assert.match(stateOf(rig, id).reason, /429/);
    await rig.until(() => rig.arrived(id).length === 2);
    assert.ok(at[1]! - at[0]! >= 90_000 && at[1]! - at[0]! < 92_000, String(at[1]! - at[0]!));
    assert.equal(stateOf(rig, id).state, 'HEALTHY');
  });

  it('stops within the time limit although an endpoint does not answer, also to a replay', async () => {
    await using rig = await createRig(kind);
    let isSilent = false;
    const id = await rig.add(async () => {
      if (isSilent) await new Promise(() => undefined);
    });
    const names = await rig.append('a', 2);
    await rig.until(() => rig.arrived(id).length === names.length);
    isSilent = true;
    const range = { from: new Date(0), to: new Date(Date.UTC(2100, 0)), devEUI: '', types: [] };
    await rig.delivery.startReplay(rig.active(id), range, names.length);
    await rig.append('b', 2);
    await rig.until(() => rig.active(id).runner.snapshot().inFlight === 1);
    await rig.clock.advance(1000);
    let isStopped = false;
    void rig.delivery.stop().then(() => (isStopped = true));
    const before = rig.clock.monotonicMs();
    // In small steps, as time also passes while the database works.
    await rig.until(() => isStopped, 'a stop', 10);
    assert.ok(rig.clock.monotonicMs() - before < 3500, String(rig.clock.monotonicMs() - before));
    isSilent = false;
    await rig.restart();
    const isDone = async () => (await rig.delivery.listReplays(rig.active(id))).every(({ state }) => state === 'DONE');
    await rig.until(async () => new Set(rig.arrived(id)).size === 4 && (await isDone()));
  });

  it('makes an event a dead letter at once when the adapter cannot write it', async () => {
    await using rig = await createRig(kind);
    const id = await rig.add(({ id: eventID }) => {
      if (eventID.endsWith('-1')) throw new TypeError('undefined is not a number');
    });
    await rig.append('a', 2);
    await rig.until(() => rig.arrived(id).length === 1);
    const [dead] = await rig.database.query.selectFrom('delivery_parked').select(['message', 'dead_at']).execute();
    assert.match(dead!.message, /cannot be written in this format: undefined is not a number/);
    assert.ok(dead!.dead_at);
  });

  it('moves the events of one device to the retry queue when the endpoint fails only for them', async () => {
    await using rig = await createRig(kind);
    let isFixed = false;
    const id = await rig.add(({ devEUI }) => {
      if (devEUI === deviceOf('bad') && !isFixed) throw refuse(500);
    });
    await rig.append('bad', 3);
    let happened = 0;
    await rig.until(async () => {
      happened += (await rig.append('good', 1)).length;
      return rig.active(id).runner.snapshot().retrying === 3;
    });
    await rig.until(() => rig.arrived(id).length === happened);
    isFixed = true;
    await rig.until(() => rig.arrived(id).length === happened + 3);
    assert.deepEqual(
      rig.arrived(id).filter((name) => name.startsWith('bad')),
      ['bad.1', 'bad.2', 'bad.3'],
    );
  });

  it('is suspended when the endpoint is gone, until a user resumes it', async () => {
    await using rig = await createRig(kind);
    const id = await rig.add(() => {
      throw new DeliveryError('gone', 'The endpoint reports that it no longer exists', { status: 410 });
    });
    await rig.append('a', 2);
    await rig.until(() => stateOf(rig, id).state === 'SUSPENDED');
    rig.setEndpoint(id, () => undefined);
    await rig.clock.advance(600_000);
    assert.deepEqual(rig.arrived(id), []);
    await rig.delivery.stop();
    await rig.restart();
    assert.equal(stateOf(rig, id).state, 'SUSPENDED');
    rig.active(id).runner.resume();
    await rig.until(() => rig.arrived(id).length === 2);
  });

  it('sends at once after a change of the configuration', async () => {
    await using rig = await createRig(kind);
    let tries = 0;
    const id = await rig.add(() => {
      tries += 1;
      throw refuse(401);
    });
    await rig.append('a', 2);
    await rig.until(() => tries >= 6);
    rig.setEndpoint(id, () => undefined);
    const at = rig.clock.now().getTime();
    await rig.revise(id);
    await rig.until(() => rig.arrived(id).length === 2);
    assert.ok(rig.clock.now().getTime() - at < 2000);
  });

  it('respects the options for requests in flight and for the order of a device', async () => {
    await using rig = await createRig(kind);
    let [now, most] = [0, 0];
    const id = await rig.add(async ({ id: eventID }) => {
      if (eventID.startsWith(deviceOf('bad')) && eventID.endsWith('-1')) throw refuse(422);
      most = Math.max(most, ++now);
      await new Promise((resolve) => void rig.clock.after(500, () => resolve(undefined)));
      now -= 1;
    });
    const { runner } = rig.active(id);
    runner.setOptions({ keepOrder: false, maxInFlight: 2 });
    await runner.store();
    await rig.append('bad', 3);
    for (const device of ['a', 'b', 'c', 'd']) await rig.append(device, 2);
    await rig.until(() => rig.arrived(id).length === 10);
    assert.equal(most, 2);
    assert.ok(rig.arrived(id).includes('bad.3'));
    assert.equal(runner.snapshot().retrying, 1);
    await rig.delivery.stop();
    await rig.restart();
    const { keepOrder, maxInFlight } = rig.active(id).runner.snapshot().state;
    assert.deepEqual([keepOrder, maxInFlight], [false, 2]);
  });

  it('moves live events to the retry queue when an earlier event of their device must be delivered first', async () => {
    await using rig = await createRig(kind);
    let [isFixed, isSending] = [false, false];
    const arriving = Promise.withResolvers<void>();
    const id = await rig.add(async ({ id: eventID }) => {
      if (rig.nameOf(eventID) === 'a.1' && !isFixed) throw refuse(422);
      if (rig.nameOf(eventID) !== 'a.2') return;
      isSending = true;
      await arriving.promise;
    });
    const { runner } = rig.active(id);
    runner.setOptions({ keepOrder: false, maxInFlight: 32 });
    await rig.append('a', 4);
    await rig.until(() => isSending);
    runner.setOptions({ keepOrder: true, maxInFlight: 32 });
    arriving.resolve();
    await rig.until(() => runner.snapshot().retrying === 3 || rig.arrived(id).length > 1);
    assert.deepEqual([runner.snapshot().retrying, rig.arrived(id)], [3, ['a.2']]);
    isFixed = true;
    await rig.until(() => rig.arrived(id).length === 4);
    assert.deepEqual(rig.arrived(id), ['a.2', 'a.1', 'a.3', 'a.4']);
  });

  it('moves an event to the retry queue on which the endpoint fails in each batch', async () => {
    await using rig = await createRig(kind);
    const id = await rig.add(
      ({ devEUI }) => {
        if (devEUI === deviceOf('bad')) throw refuse(500);
      },
      { isMany: true },
    );
    await rig.append('bad', 1);
    const { runner } = rig.active(id);
    for (let step = 0; step < 600 && runner.snapshot().retrying === 0; step += 1) {
      for (const device of ['b', 'c', 'd']) await rig.append(device, 1);
      await rig.clock.advance(100);
    }
    assert.equal(runner.snapshot().retrying, 1);
  });

  it('shows an event as waiting that was not delivered before a restart', async () => {
    await using rig = await createRig(kind);
    const id = await rig.add(({ devEUI }) => {
      if (devEUI === deviceOf('a')) throw refuse(500);
    });
    await rig.append('a', 1);
    await rig.append('b', 1);
    await rig.until(() => rig.arrived(id).length === 1);
    rig.active(id).runner.suspend('by hand');
    await rig.delivery.stop();
    await rig.restart();
    const [a, b] = (await rig.database.query.selectFrom('event').select(columns).orderBy('pos').execute()).map(
      toLogged,
    );
    const { runner } = rig.active(id);
    assert.deepEqual([runner.progressOf(a!), runner.progressOf(b!)], ['waiting', 'passed']);
  });

  it('neither logs nor blames an event that cannot be sent again while the storage is unavailable', async () => {
    await using rig = await createRig(kind);
    const id = await rig.add();
    await rig.append('a', 1);
    await rig.until(() => rig.arrived(id).length === 1);
    rig.setEndpoint(id, () => {
      throw new Unreachable(undefined);
    });
    const event = (await rig.log.newest(1))!;
    const { error } = await rig.delivery.resend(rig.active(id), event);
    assert.deepEqual([error?.fault, error?.message], ['endpoint', 'The database does not respond.']);
    assert.deepEqual(await outcomes(rig, id), ['DELIVERED']);
  });

  it('loses no event of a read that is under way at a stop', async () => {
    await using rig = await createRig(kind);
    const { reading, goOn } = holdReading(rig, (_, found) => found > 0);
    const id = await rig.add();
    await rig.append('a', 3);
    await Promise.all([reading, rig.clock.advance(2000)]);
    // A change that must be stored.
    rig.active(id).runner.setOptions({ keepOrder: true, maxInFlight: 16 });
    const stopped = rig.delivery.stop();
    goOn();
    await stopped;
    await rig.restart();
    await rig.until(() => rig.arrived(id).length === 3);
  });

  it('does not repeat an event that was completed during a read', async () => {
    await using rig = await createRig(kind);
    const { reading, goOn } = holdReading(rig, (read, found) => read > 0 && found === 0);
    const arriving = Promise.withResolvers<void>();
    const id = await rig.add(() => arriving.promise);
    await rig.append('a', 1);
    await Promise.all([reading, rig.clock.advance(2000)]);
    arriving.resolve();
    await rig.until(() => rig.arrived(id).length === 1);
    await rig.active(id).runner.store();
    const stopped = rig.delivery.stop();
    goOn();
    await stopped;
    await rig.restart();
    await rig.clock.advance(5000);
    assert.deepEqual(rig.arrived(id), ['a.1']);
  });

  it('loses no event whose retry row cannot be written before a stop', async () => {
    for (const trouble of [refuse(422), new TypeError('undefined is not a number')]) {
      let isAway = false;
      let isStopping = false;
      const wrap = committing((database, unit) => {
        if (!isAway) return database.commit(unit);
        isAway = !isStopping;
        return Promise.reject(new Unreachable(undefined));
      });
      await using rig = await createRig(kind, { wrap });
      const id = await rig.add(() => {
        isAway = true;
        throw trouble;
      });
      await rig.append('a', 1);
      await rig.until(() => isAway);
      isStopping = true;
      let hasStopped = false;
      void rig.delivery.stop().then(() => (hasStopped = true));
      await rig.until(() => hasStopped);
      assert.equal(isAway, false);
      rig.setEndpoint(id, () => undefined);
      await rig.restart();
      await rig.until(() => rig.arrived(id).length === 1);
    }
  });

  it('loses no event of a replay whose read is under way at a stop', async () => {
    await using rig = await createRig(kind);
    const id = await rig.add();
    const names = await rig.append('a', 3);
    await rig.until(() => rig.arrived(id).length === 3);
    const { reading, goOn } = holdReading(rig, (read, found) => read > 0 && found > 0, 1);
    const range = { from: new Date(0), to: new Date(Date.UTC(2100, 0)), devEUI: '', types: [] };
    await rig.delivery.startReplay(rig.active(id), range, 3);
    await Promise.all([reading, rig.clock.advance(2000)]);
    const stopped = rig.delivery.stop();
    goOn();
    await stopped;
    await rig.restart();
    await rig.until(() => !rig.delivery.isReplaying(rig.active(id)));
    assert.deepEqual([...new Set(rig.arrived(id).slice(3))], names);
  });

  it('continues a replay after a restart and sends nothing twice', async () => {
    await using rig = await createRig(kind);
    const again: string[] = [];
    const held = Promise.withResolvers<void>();
    const id = await rig.add(async ({ id: eventID }, { replayID }) => {
      if (replayID === undefined) return;
      // The first event of a device takes long, while events of another device arrive.
      if (eventID.startsWith(deviceOf('a')) && eventID.endsWith('-1')) await held.promise;
      again.push(rig.nameOf(eventID));
    });
    const names = [...(await rig.append('a', 3)), ...(await rig.append('b', 5))];
    await rig.until(() => rig.arrived(id).length === 8);
    const range = { from: new Date(0), to: new Date(Date.UTC(2100, 0)), devEUI: '', types: [] };
    await rig.delivery.startReplay(rig.active(id), range, 8);
    await rig.until(() => again.length === 5);
    const stopped = rig.delivery.stop();
    held.resolve();
    await stopped;
    await rig.restart();
    await rig.until(() => !rig.delivery.isReplaying(rig.active(id)));
    assert.deepEqual(again.toSorted(), names.toSorted());
  });

  it('retries a requeued dead letter that is older than the maximum age', async () => {
    await using rig = await createRig(kind, { maxAgeMs: 60_000 });
    let isFixed = false;
    const id = await rig.add(() => {
      if (!isFixed) throw new TypeError('undefined is not a number');
    });
    await rig.append('a', 1);
    await rig.until(async () => (await countDeadLetters(rig.database, id)) === 1);
    await rig.clock.advance(180_000);
    isFixed = true;
    rig.active(id).runner.requeueDeadLetters(await requeueDeadLetters(rig.database, id, [], rig.clock.now()));
    await rig.until(() => rig.arrived(id).length === 1);
    // Its row is deleted after the delivery.
    await rig.until(
      async () => (await rig.database.query.selectFrom('delivery_parked').selectAll().execute()).length === 0,
    );
  });

  it('runs no second runner during a move to the end of the log, and applies a change of the configuration afterwards', async () => {
    await using rig = await createRig(kind);
    const id = await rig.add();
    const active = rig.active(id);
    active.runner.suspend('by hand');
    await rig.append('a', 3);
    const moved = rig.delivery.resumeFromNow(active);
    await Promise.all([rig.revise(id), rig.delivery.refresh()]);
    await moved;
    await rig.append('a', 1);
    await rig.until(() => rig.arrived(id).length > 0);
    await rig.clock.advance(5000);
    assert.deepEqual(rig.arrived(id), ['a.4']);
    const { revision } = await rig.database.query
      .selectFrom('integration')
      .select('revision')
      .executeTakeFirstOrThrow();
    assert.equal(rig.active(id).runner.integration().revision, revision);
  });

  it('continues with new events on request', async () => {
    await using rig = await createRig(kind);
    const id = await rig.add(() => {
      throw refuse(410);
    });
    rig.active(id).runner.suspend('by hand');
    await rig.append('a', 5);
    rig.setEndpoint(id, () => undefined);
    await rig.delivery.resumeFromNow(rig.active(id));
    await rig.append('a', 1);
    await rig.until(() => rig.arrived(id).length === 1);
    assert.deepEqual(rig.arrived(id), ['a.6']);
  });

  it('moves to the end of the log once for concurrent requests', async () => {
    await using rig = await createRig(kind);
    const id = await rig.add();
    rig.active(id).runner.suspend('by hand');
    await rig.append('a', 5);
    const active = rig.active(id);
    await Promise.all([1, 2, 3].map(() => rig.delivery.resumeFromNow(active)));
    await rig.append('a', 1);
    await rig.until(() => rig.arrived(id).length > 0);
    await rig.clock.advance(5000);
    assert.deepEqual(rig.arrived(id), ['a.6']);
  });

  it('has stored a change when `store` resolves, and rejects when it has not', async () => {
    let isAway = false;
    let release: (() => void) | undefined;
    const commit = async (database: Database, unit: Unit) => {
      if (isAway) throw new Unreachable(undefined);
      const done = await database.commit(unit);
      if (release)
        await new Promise<void>((resolve) => {
          release = resolve;
        });
      return done;
    };
    await using rig = await createRig(kind, { wrap: committing(commit) });
    const id = await rig.add();
    const { runner } = rig.active(id);
    const storedState = async () =>
      (await rig.database.query.selectFrom('integration_state').select('state').executeTakeFirstOrThrow()).state;

    release = () => undefined;
    await rig.append('a', 1);
    await rig.until(() => rig.arrived(id).length === 1);
    await rig.clock.advance(1000);
    runner.suspend('while its position is being written');
    const stored = runner.store();
    release();
    release = undefined;
    await stored;
    assert.equal(await storedState(), 'SUSPENDED');

    isAway = true;
    runner.resume();
    await assert.rejects(runner.store(), Unreachable);
    isAway = false;
    await runner.store();
    assert.equal(await storedState(), 'HEALTHY');
  });

  it('replays events up to the request, one replay at a time, and keeps the last twenty', async () => {
    await using rig = await createRig(kind);
    const id = await rig.add();
    await rig.append('a', 2);
    await rig.until(() => rig.arrived(id).length === 2);
    const [from, to] = [new Date(0), new Date(Date.UTC(2100, 0))];
    const begin = () => rig.delivery.startReplay(rig.active(id), { from, to, devEUI: '', types: [] }, 2);
    const begun = await Promise.all([begin(), begin(), begin()]);
    const [replay, ...others] = begun.filter((started) => started !== undefined);
    assert.deepEqual([replay!.to, others], [rig.clock.now(), []]);
    await rig.clock.advance(100);
    await rig.append('a', 1);
    await rig.until(() => !rig.delivery.isReplaying(rig.active(id)));
    assert.deepEqual(
      rig
        .arrived(id)
        .filter((name) => name !== 'a.3')
        .sort(),
      ['a.1', 'a.1', 'a.2', 'a.2'],
    );
    assert.deepEqual(
      rig.arrived(id).filter((name) => name === 'a.3'),
      ['a.3'],
    );
    for (let more = 0; more < 25; more += 1) {
      await begin();
      await rig.until(() => !rig.delivery.isReplaying(rig.active(id)));
    }
    const rows = await rig.database.query.selectFrom('delivery_replay').select('id').execute();
    assert.equal(rows.length, 20);
  });

  it('does not prolong delays when the clock is set back', async () => {
    await using rig = await createRig(kind);
    const id = await rig.add(() => {
      throw refuse(400);
    });
    await rig.append('a', 2);
    await rig.until(() => rig.active(id).runner.snapshot().retrying === 2);
    rig.setEndpoint(id, () => undefined);
    rig.clock.set(-7 * 86_400_000);
    await rig.clock.advance(60_000);
    await rig.until(() => rig.arrived(id).length === 2);
  });

  it('moves no event to the retry queue when users resume a failing endpoint again and again', async () => {
    await using rig = await createRig(kind);
    let tries = 0;
    const id = await rig.add(() => {
      tries += 1;
      throw refuse(503);
    });
    await rig.append('a', 1);
    for (let resumed = 1; resumed <= 5; resumed += 1) {
      const before = tries;
      rig.active(id).runner.resume();
      await rig.until(() => tries > before);
      await rig.clock.advance(100);
    }
    assert.equal(rig.active(id).runner.snapshot().retrying, 0);
    rig.setEndpoint(id, () => undefined);
    rig.active(id).runner.resume();
    await rig.until(() => rig.arrived(id).length === 1);
  });

  it('is suspended after a long time without a success, and lets old events expire', async () => {
    await using rig = await createRig(kind, { maxAgeMs: 60_000, giveUpMs: 180_000 });
    const id = await rig.add(() => {
      throw refuse(503);
    });
    await rig.append('a', 3);
    await rig.until(() => stateOf(rig, id).failingSince !== undefined);
    for (let minutes = 0; minutes < 6; minutes += 1) {
      await rig.append('b', 1);
      await rig.clock.advance(60_000);
    }
    await rig.until(() => stateOf(rig, id).state === 'SUSPENDED');
    assert.match(stateOf(rig, id).reason, /Nothing was delivered since/);
    rig.setEndpoint(id, () => undefined);
    rig.active(id).runner.resume();
    await rig.append('c', 1);
    await rig.until(() => rig.arrived(id).includes('c.1'));
    assert.ok(!rig.arrived(id).includes('a.1'));
    assert.ok((await outcomes(rig, id)).includes('EXPIRED'));
  });

  it('neither suspends nor expires anything when the clock is set forward by a month', async () => {
    await using rig = await createRig(kind);
    const id = await rig.add(({ devEUI }) => {
      if (devEUI === deviceOf('bad')) throw new DeliveryError('event', 'cannot be written');
      throw refuse(503);
    });
    await rig.append('bad', 1);
    await rig.until(async () => (await countDeadLetters(rig.database, id)) === 1);
    await rig.append('a', 3);
    await rig.until(() => stateOf(rig, id).failingSince !== undefined);
    rig.clock.set(30 * 86_400_000);
    await rig.clock.advance(600_000);
    assert.notEqual(stateOf(rig, id).state, 'SUSPENDED');
    rig.setEndpoint(id, () => undefined);
    await rig.until(() => rig.arrived(id).length === 3);
    assert.equal(await countDeadLetters(rig.database, id), 1);
  });

  it('splits a batch until the refused event is alone', async () => {
    await using rig = await createRig(kind);
    const id = await rig.add(
      ({ id: eventID, devEUI }) => {
        if (devEUI === deviceOf('d3') && eventID.endsWith('-2')) throw refuse(400);
      },
      { isMany: true },
    );
    rig.active(id).runner.suspend('to gather');
    for (let device = 0; device < 8; device += 1) await rig.append(`d${device}`, 3);
    rig.active(id).runner.resume();
    await rig.until(() => rig.arrived(id).length === 22, 'all but the refused event and the later one of its device');
    rig.setEndpoint(id, () => undefined);
    await rig.until(() => rig.arrived(id).length === 24);
    for (let device = 0; device < 8; device += 1)
      assert.deepEqual(
        rig.arrived(id).filter((name) => name.startsWith(`d${device}`)),
        [1, 2, 3].map((number) => `d${device}.${number}`),
      );
  });

  it('delivers quickly for small integrations beside a large one with a slow endpoint', async () => {
    await using rig = await createRig(kind);
    const late: number[] = [];
    const takes = (ms: number) => new Promise<void>((resolve) => void rig.clock.after(ms, resolve));
    const huge = await rig.add(() => takes(5000));
    const small = [];
    for (let n = 0; n < 9; n += 1)
      small.push(
        await rig.add(async ({ devEUI, at }) => {
          if (devEUI !== deviceOf('new')) return;
          late.push(rig.clock.now().getTime() - at.getTime());
        }),
      );
    const ids = [huge, ...small];
    for (const id of ids) rig.active(id).runner.suspend('to gather');
    for (let device = 0; device < 60; device += 1) await rig.append(`d${device}`, 20);
    rig.active(huge).runner.resume();
    await rig.until(() => rig.arrived(huge).length > 60);
    for (const id of small) await rig.delivery.resumeFromNow(rig.active(id));
    const inFlight = () => rig.active(huge).runner.snapshot().inFlight;
    for (let round = 0; round < 10; round += 1) {
      assert.ok(inFlight() <= 32);
      await rig.append('new', 1);
      const before = late.length;
      await rig.until(() => late.length === before + 9, 'each small integration', 20);
    }
    assert.ok(Math.max(...late) <= 500, `one of them waited ${Math.max(...late)} ms`);
    assert.ok(rig.arrived(huge).length < 1200, 'the huge one still has a backlog');
  });

  it('has permits left when many endpoints stop answering at once', async () => {
    await using rig = await createRig(kind);
    for (let n = 0; n < 40; n += 1) await rig.add(() => new Promise(() => undefined));
    const silent = rig.delivery.listAll().map(({ runner }) => runner);
    for (let device = 0; device < 8; device += 1) await rig.append(`d${device}`, 2);
    const underWay = () => silent.reduce((sum, runner) => sum + runner.snapshot().inFlight, 0);
    await rig.until(() => underWay() >= 150);
    await rig.clock.advance(1000);
    const id = await rig.add();
    await rig.append('well', 5);
    await rig.until(() => rig.arrived(id).includes('well.5'), 'the events of the endpoint that answers');
    assert.ok(underWay() < 256, String(underWay()));
  });

  it('shares the permits evenly between integrations with a backlog', async () => {
    await using rig = await createRig(kind);
    const order: number[] = [];
    const endpoint = (event: unknown, job: { config: object }) =>
      void order.push(Number((job.config as { id: string }).id));
    const ids = [];
    for (let n = 0; n < 4; n += 1) ids.push(await rig.add(endpoint));
    for (const id of ids) rig.active(id).runner.suspend('to gather');
    for (let device = 0; device < 40; device += 1) await rig.append(`d${device}`, 5);
    for (const id of ids) rig.active(id).runner.resume();
    await rig.until(() => order.length === 800);
    const firstHalf = order.slice(0, 400);
    for (const id of ids) {
      const share = firstHalf.filter((one) => one === id).length;
      assert.ok(share >= 90 && share <= 110, `integration ${id} got ${share} of 400`);
    }
  });
});
