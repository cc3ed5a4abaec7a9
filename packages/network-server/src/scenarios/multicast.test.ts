import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { airtime, dateOfGpsTime, decodeFrame, gpsTimeOf, nextPingSlot, pingSlotFrequency } from '@hilltop/lorawan';
import { create, gw, ns } from '@hilltop/protobuf';
import { createFakeCopies } from '../testing/fake-copies.ts';
import { createRig, gatewayIDs, type Rig, type RigOptions } from '../testing/rig.ts';

const [a, b] = gatewayIDs;
const third = '0a00000000000003';
const id = new Uint8Array(16).fill(0x77);
const mcAddr = '01020304';
const mcNwkSKey = Uint8Array.fromHex('2b7e151628aed2a6abf7158809cf4f3c');
const groupID = id.toHex();
const eui = (n: number) => n.toString(16).padStart(16, '0');

type Companion = Awaited<ReturnType<Rig['companion']>>;
type Group = Parameters<typeof create<typeof ns.MulticastGroup>>[1];
/** SNR by gateway. At SF7 with the installation margin, 2.5 dB are enough. */
type Heard = Record<string, number>;

function buildGroup(rig: Rig, change: Group = {}): ns.MulticastGroup {
  return create(ns.MulticastGroup, {
    id,
    mcAddr: Uint8Array.fromHex(mcAddr),
    mcNwkSKey,
    fCnt: 5,
    groupType: 'CLASS_C',
    dr: 0,
    frequency: 869_525_000,
    serviceProfileId: rig.profileIDs.service,
    routingProfileId: rig.profileIDs.routing,
    ...change,
  });
}

/** A group whose devices were received like that. */
async function grouped(received: readonly Heard[], change: Group = {}, options: RigOptions = {}): Promise<Rig> {
  const rig = await createRig(options);
  await rig.addGateway(third);
  await rig.server.service.createMulticastGroup({ multicastGroup: buildGroup(rig, change) });
  for (const [n, by] of received.entries()) await addMember(rig, n + 1, by);
  await rig.clock.advance(10_000);
  rig.sent.length = 0;
  return rig;
}

async function addMember(
  rig: Rig,
  n: number,
  received: Heard,
  of: Pick<ns.MulticastGroup, 'id' | 'serviceProfileId'> = { id, serviceProfileId: rig.profileIDs.service },
) {
  const { service } = rig.server;
  const { device, routing } = rig.profileIDs;
  const devEui = Uint8Array.fromHex(eui(n));
  const profiles = { deviceProfileId: device, serviceProfileId: of.serviceProfileId, routingProfileId: routing };
  await service.createDevice({ device: create(ns.Device, { devEui, ...profiles }) });
  await service.addDeviceToMulticastGroup({ devEui, multicastGroupId: of.id });
  if (Object.keys(received).length === 0) return;
  const devAddr = (0x26000100 + n).toString(16);
  const nwkSKey = new Uint8Array(16).fill(n);
  const keys = { fNwkSIntKey: nwkSKey, sNwkSIntKey: nwkSKey, nwkSEncKey: nwkSKey };
  const deviceActivation = create(ns.DeviceActivation, { devEui, devAddr: Uint8Array.fromHex(devAddr), ...keys });
  await service.activateDevice({ deviceActivation });
  const session = { devAddr, keys: { nwkSKey, appSKey: nwkSKey }, dataRate: 5 };
  const transmission = rig.device({ devEUI: eui(n), session }).uplink({ fPort: 1 });
  for (const [gatewayID, snr] of Object.entries(received)) await rig.receiveFrame(transmission, { gatewayID, snr });
  await rig.clock.advance(400);
}

const enqueue = async (rig: Rig | Companion, fCnt: number, frmPayload = Uint8Array.of(1, 2, 3), fPort = 10) => {
  const multicastQueueItem = { multicastGroupId: id, fCnt, fPort, frmPayload };
  const { service } = 'server' in rig ? rig.server : rig;
  await service.enqueueMulticastQueueItem({ multicastQueueItem });
};
const nextFCnt = async (rig: Rig) => (await rig.server.service.getMulticastGroup({ id })).multicastGroup?.fCnt;
const queued = async (rig: Rig) =>
  (await rig.server.service.getMulticastQueueItemsForMulticastGroup({ multicastGroupId: id })).multicastQueueItems;
const dataOf = (frame: gw.DownlinkFrame | undefined) => {
  const decoded = decodeFrame(frame!.items[0]!.phyPayload);
  if (decoded.mType !== 'UnconfirmedDataDown') throw new Error(`This is ${decoded.mType}.`);
  return decoded;
};
/** The sent counters with their gateways. */
const left = (rig: Rig) => rig.sent.map((frame) => [frame.gatewayID.toHex(), dataOf(frame).fCnt] as const);
const senders = (rig: Rig) => [...new Set(left(rig).map(([gatewayID]) => gatewayID))].sort();
const txInfoOf = (frame: gw.DownlinkFrame | undefined) => frame?.items[0]?.txInfo;

describe('multicast, class C', () => {
  it('is sent at once by the gateway that receives the devices, once', async () => {
    const rig = await grouped([{ [a]: 8 }, { [a]: 5, [b]: 8 }]);
    await enqueue(rig, 5);
    assert.equal(await nextFCnt(rig), 6);
    await rig.clock.advance(0);
    assert.deepEqual(left(rig), [[a, 5]]);
    const [frame] = rig.sent;
    const { phyPayload } = frame!.items[0]!;
    // The MIC of LoRaWAN 1.0 over B0
    // frame with the key of the group, by the CMAC of OpenSSL.
    assert.equal(phyPayload.toHex(), '600403020100' + '0500' + '0a' + '010203' + 'ab44ccd3');
    const { timing, frequency, loRaModulationInfo, power } = txInfoOf(frame)!;
    assert.deepEqual(
      [timing, frequency, loRaModulationInfo?.spreadingFactor, loRaModulationInfo?.polarizationInversion, power],
      ['IMMEDIATELY', 869_525_000, 12, true, 27],
    );
    await rig.acknowledge(frame!);
    await rig.clock.advance(60_000);
    assert.equal(rig.sent.length, 1);
    assert.deepEqual(await queued(rig), []);
    const [entry] = await rig.gatewayFrames(1).then((entries) => entries.filter(({ downlinkFrame }) => downlinkFrame));
    assert.ok(entry === undefined || entry.downlinkFrame?.devAddr.toHex() === mcAddr);
    assert.deepEqual(
      rig.events().filter((event) => !event.startsWith('up')),
      [],
      'nothing is reported to the application',
    );
    assert.equal(await rig.state.nextDueAt(), null);
  });

  it('is shown in the frame log of its gateway', async () => {
    const rig = await grouped([{ [a]: 8 }]);
    await enqueue(rig, 5);
    await rig.clock.advance(0);
    await rig.acknowledge(rig.sent[0]!);
    const [, entry] = await rig.gatewayFrames(2);
    assert.deepEqual(
      [entry?.downlinkFrame?.devAddr.toHex(), entry?.downlinkFrame?.mType, entry?.downlinkFrame?.gatewayID.toHex()],
      [mcAddr, 'UnconfirmedDataDown', a],
    );
  });

  const sets: [what: string, heard: Heard[], gateways: string[]][] = [
    [
      'one gateway that hears all well',
      [
        { [a]: 9, [b]: 4 },
        { [b]: 4, [third]: 9 },
      ],
      [b],
    ],
    ['the best one of a device that none hears well', [{ [a]: -3, [b]: -9 }, { [b]: 9 }], [a, b]],
    ['one more rather than one that hears a device without margin', [{ [a]: 9, [b]: 0 }, { [b]: 9 }], [a, b]],
    ['nothing for devices that nobody has heard', [{}, { [third]: 9 }], [third]],
  ];
  for (const [what, received, gateways] of sets)
    it(`is sent by ${what}`, async () => {
      const rig = await grouped(received);
      await enqueue(rig, 5);
      await rig.clock.advance(30_000);
      assert.deepEqual(senders(rig), gateways.toSorted());
    });

  it('is sent by three gateways shortly after each other, and each gateway pauses 2 s between two downlinks', async () => {
    const rig = await grouped([{ [a]: 9 }, { [b]: 9 }, { [third]: 9 }], { dr: 5 });
    const times: number[] = [];
    await enqueue(rig, 5, Uint8Array.of(5));
    await enqueue(rig, 6, Uint8Array.of(6));
    const start = rig.clock.now().getTime();
    for (let ms = 0; ms <= 10_000; ms += 100) {
      await rig.clock.advance(ms === 0 ? 0 : 100);
      while (times.length < rig.sent.length) {
        await rig.acknowledge(rig.sent[times.length]!);
        times.push(rig.clock.now().getTime() - start);
      }
    }
    assert.deepEqual(times, [0, 300, 600, 2000, 2300, 2600]);
    assert.deepEqual(
      left(rig).map(([, fCnt]) => fCnt),
      [5, 5, 5, 6, 6, 6],
    );
    assert.deepEqual(
      [rig.sent[0], rig.sent[1]]
        .map((frame) => frame!.items[0]!.phyPayload.toHex())
        .filter((one, at, all) => all.indexOf(one) === at).length,
      1,
    );
    assert.equal(new Set([left(rig)[0]![0], left(rig)[1]![0]]).size, 2);
  });

  it('is never sent by two gateways at once: the frame of one ends before that of the next begins', async () => {
    const rig = await grouped([{ [a]: 9 }, { [b]: 9 }], { dr: 0 });
    await enqueue(rig, 5, new Uint8Array(20));
    await rig.clock.advance(0);
    const [first] = rig.sent;
    await rig.acknowledge(first!);
    const modulation = { modulation: 'LORA', bandwidth: 125, spreadingFactor: 12 } as const;
    await rig.clock.advance(airtime(first!.items[0]!.phyPayload.length, modulation, 'down'));
    assert.equal(rig.sent.length, 1);
    await rig.clock.advance(300);
    assert.equal(rig.sent.length, 2);
  });

  it('respects the pause of a gateway that has just sent', async () => {
    const rig = await grouped([{ [a]: 9 }]);
    await enqueue(rig, 5);
    await rig.clock.advance(100);
    await rig.acknowledge(rig.sent[0]!);
    await enqueue(rig, 6);
    await rig.clock.advance(1800);
    assert.equal(rig.sent.length, 1);
    await rig.clock.advance(100);
    assert.deepEqual(left(rig), [
      [a, 5],
      [a, 6],
    ]);
  });

  /** Several processes; each sent downlink is acknowledged at once and recorded with its time. */
  async function shared(received: readonly Heard[]) {
    const copies = createFakeCopies();
    const rig = await grouped(received, {}, { copies: () => copies.side() });
    const processes: Pick<Companion, 'transmitted'>[] = [rig.server];
    const times: number[] = [];
    async function pass(ms: number) {
      for (const end = rig.clock.monotonicMs() + ms; ; await rig.clock.advance(100)) {
        await rig.clock.advance(0);
        for (const { gatewayID, token, downlinkID } of rig.sent.slice(times.length)) {
          times.push(rig.clock.monotonicMs());
          const ack = create(gw.DownlinkTXAck, { gatewayID, token, downlinkID, items: [{ status: 'OK' }] });
          for (const one of processes) await one.transmitted(ack);
        }
        if (rig.clock.monotonicMs() >= end) return;
      }
    }
    async function another(): Promise<Companion> {
      const other = await rig.companion();
      processes.push(other);
      return other;
    }
    const gaps = () => times.slice(1).map((at, nth) => at - times[nth]!);
    return { rig, another, pass, gaps };
  }

  it('respects the pause of a gateway after another process has sent', async () => {
    const { rig, another, pass, gaps } = await shared([{ [a]: 9 }]);
    await enqueue(rig, 5);
    await pass(200);
    const other = await another();
    await rig.server.stop();
    await enqueue(other, 6);
    await enqueue(other, 7);
    await pass(10_000);
    assert.deepEqual(gaps(), [2000, 2000]);
  });

  it('respects the pause of a group after another process has sent by another gateway', async () => {
    const { rig, another, pass, gaps } = await shared([{ [a]: 9 }, { [b]: 9 }]);
    await enqueue(rig, 5);
    await pass(2100);
    const other = await another();
    await rig.server.stop();
    await enqueue(other, 6);
    await pass(10_000);
    assert.equal(gaps().length, 3);
    assert.ok(
      gaps().every((ms) => ms >= 1400 && ms <= 1500),
      String(gaps()),
    );
  });

  it('is sent by one gateway only when two processes are about to send', async () => {
    const { rig, another, pass, gaps } = await shared([{ [a]: 9 }, { [b]: 9 }]);
    const other = await another();
    rig.disconnectGateways();
    await enqueue(rig, 5);
    await enqueue(other, 6);
    await pass(10_000);
    rig.slowDown();
    rig.connectGateways();
    await pass(20_000);
    const onAirMs = airtime(16, { modulation: 'LORA', bandwidth: 125, spreadingFactor: 12 }, 'down');
    assert.deepEqual(
      gaps().filter((ms) => ms < onAirMs),
      [],
    );
    assert.equal(gaps().length, 3);
  });

  it('respects the pause also when several are late', async () => {
    const rig = await grouped([{ [a]: 9 }]);
    rig.disconnectGateways();
    for (const fCnt of [5, 6]) await enqueue(rig, fCnt);
    await rig.clock.advance(20_000);
    rig.connectGateways();
    while (rig.sent.length === 0) await rig.clock.advance(100);
    await rig.acknowledge(rig.sent[0]!);
    await rig.clock.advance(1900);
    assert.equal(rig.sent.length, 1);
    await rig.clock.advance(100);
    assert.deepEqual(
      left(rig).map(([, fCnt]) => fCnt),
      [5, 6],
    );
  });

  it('is one item of the queue, however many gateways send it, and removed by a flush', async () => {
    const rig = await grouped([{ [a]: 9 }, { [b]: 9 }]);
    await enqueue(rig, 5);
    await enqueue(rig, 9);
    assert.deepEqual(
      (await queued(rig)).map(({ fCnt, fPort, frmPayload }) => [fCnt, fPort, frmPayload.toHex()]),
      [
        [5, 10, '010203'],
        [9, 10, '010203'],
      ],
    );
    assert.equal(await nextFCnt(rig), 10);
    await rig.clock.advance(0);
    await rig.server.service.flushMulticastQueueForMulticastGroup({ multicastGroupId: id });
    assert.deepEqual(await queued(rig), []);
    await rig.acknowledge(rig.sent[0]!);
    await rig.clock.advance(60_000);
    assert.equal(rig.sent.length, 1);
    assert.equal(await nextFCnt(rig), 10, 'what was flushed has spent its counter');
  });

  const refusals: [
    what: string,
    heard: Heard[],
    item: Parameters<typeof enqueue> extends [unknown, ...infer Rest] ? Rest : never,
    code: string,
    text: RegExp,
  ][] = [
    ['an empty group', [], [5], 'FailedPrecondition', /no devices/],
    ['a group that no gateway hears', [{}], [5], 'FailedPrecondition', /No gateway has heard/],
    ['a counter that was used', [{ [a]: 9 }], [4], 'InvalidArgument', /frame-counter 5/],
    ['FPort 0', [{ [a]: 9 }], [5, Uint8Array.of(1), 0], 'InvalidArgument', /FPort 0/],
    ['more than the data-rate carries', [{ [a]: 9 }], [5, new Uint8Array(52)], 'InvalidArgument', /at most 51 bytes/],
    ['the last counter of all', [{ [a]: 9 }], [0xffff_ffff], 'FailedPrecondition', /its end/],
  ];
  for (const [what, received, item, code, text] of refusals)
    it(`refuses ${what}`, async () => {
      const rig = await grouped(received);
      await assert.rejects(enqueue(rig, ...item), { code, message: text });
      assert.deepEqual([await nextFCnt(rig), await queued(rig)], [5, []]);
    });

  it('gives a counter to one of two simultaneous downlinks', async () => {
    const rig = await grouped([{ [a]: 9 }]);
    const outcomes = await Promise.allSettled([enqueue(rig, 5, Uint8Array.of(1)), enqueue(rig, 5, Uint8Array.of(2))]);
    assert.deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    assert.equal((await queued(rig)).length, 1);
  });

  it('is not sent again by a gateway that refuses it', async () => {
    const rig = await grouped([{ [a]: 9 }]);
    await enqueue(rig, 5);
    await rig.clock.advance(0);
    await rig.acknowledge(rig.sent[0]!, 'TX_FREQ');
    await rig.clock.advance(60_000);
    assert.equal(rig.sent.length, 1);
    assert.deepEqual(await queued(rig), []);
    assert.equal(rig.counts.get('multicast_refused TX_FREQ'), 1);
  });

  it('is sent again unchanged when its gateway does not answer, three times at most', async () => {
    const rig = await grouped([{ [a]: 9 }]);
    await enqueue(rig, 5);
    await rig.clock.advance(60_000);
    assert.equal(rig.sent.length, 3);
    assert.equal(new Set(rig.sent.map((frame) => frame.items[0]!.phyPayload.toHex())).size, 1);
    assert.deepEqual(await queued(rig), []);
    assert.equal(rig.counts.get('multicast_dropped unanswered'), 1);
    assert.equal(await rig.state.nextDueAt(), null);
  });

  it('waits for a disconnected gateway, and is dropped after a minute', async () => {
    const rig = await grouped([{ [a]: 9 }]);
    rig.disconnectGateways();
    await enqueue(rig, 5);
    await rig.clock.advance(30_000);
    assert.equal((await queued(rig)).length, 1);
    rig.connectGateways();
    await rig.clock.advance(5000);
    assert.deepEqual(left(rig), [[a, 5]]);
    await rig.acknowledge(rig.sent[0]!);
    rig.disconnectGateways();
    await enqueue(rig, 6);
    await rig.clock.advance(70_000);
    assert.deepEqual(await queued(rig), []);
    assert.equal(rig.counts.get('multicast_dropped gateway-away'), 1);
  });

  it('waits for storage during an outage of any length, and then for its gateway', async () => {
    const rig = await grouped([{ [a]: 9 }]);
    rig.storage.goAway();
    await assert.rejects(enqueue(rig, 5));
    rig.storage.comeBack();
    await enqueue(rig, 5);
    await rig.clock.advance(0);
    await rig.acknowledge(rig.sent[0]!);
    await enqueue(rig, 6);
    rig.storage.goAway();
    rig.disconnectGateways();
    await rig.clock.advance(120_000);
    assert.equal(rig.sent.length, 1);
    rig.storage.comeBack();
    await rig.clock.advance(10_000);
    rig.connectGateways();
    await rig.clock.advance(5000);
    assert.deepEqual(left(rig)[1], [a, 6]);
  });

  it('that was queued with a clock far ahead does not delay others after the clock is correct', async () => {
    const rig = await grouped([{ [a]: 8 }]);
    rig.clock.set(10 * 365 * 86_400_000);
    await enqueue(rig, 5);
    await enqueue(rig, 6);
    rig.clock.set(-10 * 365 * 86_400_000);
    await rig.clock.advance(60_000);
    await enqueue(rig, 7);
    await rig.clock.advance(120_000);
    assert.deepEqual(new Set(left(rig).map(([, fCnt]) => fCnt)), new Set([5, 6, 7]));
    assert.deepEqual(await queued(rig), []);
  });

  it('is deleted with its group, also while it waits', async () => {
    const rig = await grouped([{ [a]: 9 }, { [b]: 9 }]);
    await enqueue(rig, 5);
    await rig.clock.advance(0);
    await rig.server.service.deleteMulticastGroup({ id });
    await rig.acknowledge(rig.sent[0]!);
    await rig.clock.advance(60_000);
    assert.equal(rig.sent.length, 1);
    assert.equal(await rig.state.nextDueAt(), null);
  });

  it('ignores a device that was deleted', async () => {
    const rig = await grouped([{ [a]: 9 }, { [b]: 9 }]);
    await rig.server.service.deleteDevice({ devEui: Uint8Array.fromHex(eui(2)) });
    await enqueue(rig, 5);
    await rig.clock.advance(30_000);
    assert.deepEqual(senders(rig), [a]);
  });

  for (const change of [
    { mcNwkSKey: new Uint8Array(16).fill(1) },
    { mcAddr: Uint8Array.of(9, 9, 9, 9) },
    { groupType: 'CLASS_B' as const, pingSlotPeriod: 32 },
  ])
    it(`is dropped from the queue when ${Object.keys(change)[0]} changes`, async () => {
      const rig = await grouped([{ [a]: 9 }]);
      rig.disconnectGateways();
      await enqueue(rig, 5);
      await rig.server.service.updateMulticastGroup({ multicastGroup: buildGroup(rig, { fCnt: 5, ...change }) });
      assert.deepEqual(await queued(rig), []);
      rig.connectGateways();
      await rig.clock.advance(200_000);
      assert.deepEqual(rig.sent, []);
    });

  it('is dropped when it is too large for a slower data-rate', async () => {
    const rig = await grouped([{ [a]: 9 }], { dr: 5 });
    rig.disconnectGateways();
    await enqueue(rig, 5, new Uint8Array(100));
    await rig.server.service.updateMulticastGroup({ multicastGroup: buildGroup(rig, { dr: 0 }) });
    rig.connectGateways();
    await rig.clock.advance(10_000);
    assert.deepEqual(rig.sent, []);
    assert.equal(rig.counts.get('multicast_dropped too-large'), 1);
  });
});

describe('multicast of several groups at one gateway', () => {
  /**
   * Groups of two tenants that one gateway receives; the returned function queues so many downlinks for one of them.
   */
  async function crowded(groups: readonly { name: number; serviceProfileId: Uint8Array }[], rig: Rig) {
    for (const { name, serviceProfileId } of groups) {
      const multicastGroup = buildGroup(rig, { id: new Uint8Array(16).fill(name), serviceProfileId, fCnt: 1 });
      await rig.server.service.createMulticastGroup({ multicastGroup });
      await addMember(rig, name, { [a]: 9 }, multicastGroup);
    }
    rig.sent.length = 0;
    return async (name: number, count: number) => {
      const multicastGroupId = new Uint8Array(16).fill(name);
      const { multicastGroup } = await rig.server.service.getMulticastGroup({ id: multicastGroupId });
      for (let at = 0; at < count; at += 1) {
        const multicastQueueItem = {
          multicastGroupId,
          fCnt: multicastGroup!.fCnt + at,
          fPort: name,
          frmPayload: Uint8Array.of(at),
        };
        await rig.server.service.enqueueMulticastQueueItem({ multicastQueueItem });
      }
    };
  }
  /** Advances the clock until so many were sent and acknowledged; answers their groups. */
  async function leaving(rig: Rig, count: number): Promise<(number | null)[]> {
    const from = rig.sent.length;
    for (let at = from; at < from + count; at += 1) {
      for (let waited = 0; rig.sent.length <= at && waited < 20_000; waited += 100) await rig.clock.advance(100);
      await rig.acknowledge(rig.sent[at]!);
    }
    return rig.sent.slice(from).map((frame) => dataOf(frame).fPort);
  }

  it('alternates between tenants, whatever one of them has queued, and between their groups', async () => {
    const rig = await grouped([]);
    const other = await rig.privateServiceProfile();
    const greedy = [11, 12, 13].map((name) => ({ name, serviceProfileId: rig.profileIDs.service }));
    const queue = await crowded([...greedy, { name: 21, serviceProfileId: other }], rig);
    for (const { name } of greedy) await queue(name, 10);
    await rig.clock.advance(0);
    await rig.acknowledge(rig.sent[0]!);
    await queue(21, 2);
    const started = rig.clock.monotonicMs();
    const [first] = await leaving(rig, 1);
    assert.equal(first, 21);
    assert.ok(rig.clock.monotonicMs() - started <= 2000);
    const next = await leaving(rig, 7);
    assert.equal(next[1], 21);
    assert.deepEqual([...next.slice(0, 1), ...next.slice(2)], [12, 13, 11, 12, 13, 11]);
    assert.deepEqual(
      (await leaving(rig, 23)).filter((name) => name === 21),
      [],
    );
    await rig.clock.advance(60_000);
    assert.equal(rig.sent.length, 32);
    assert.equal(rig.counts.get('multicast_dropped gateway-away'), undefined);
    assert.equal(await rig.state.nextDueAt(), null);
  });

  it('survives a short outage of a gateway, however long the queue is', async () => {
    const rig = await grouped([]);
    const groups = [11, 12, 13, 14].map((name) => ({ name, serviceProfileId: rig.profileIDs.service }));
    const queue = await crowded(groups, rig);
    for (const { name } of groups) await queue(name, 15);
    await leaving(rig, 40);
    rig.disconnectGateways();
    await rig.clock.advance(30_000);
    rig.connectGateways();
    await leaving(rig, 20);
    await rig.clock.advance(5000);
    assert.equal(rig.counts.get('multicast_dropped gateway-away'), undefined);
    assert.equal(await rig.state.nextDueAt(), null);
  });
});

describe('multicast, class B', () => {
  const classB = { groupType: 'CLASS_B', pingSlotPeriod: 1024, dr: 3, frequency: 0 } as const;
  const pingNb = 4;

  it('is sent in the same ping slot by all gateways, 2 s before it', async () => {
    const rig = await grouped([{ [a]: 9 }, { [b]: 9 }], classB);
    const slot = nextPingSlot(mcAddr, gpsTimeOf(rig.clock.now()) + 5000, pingNb);
    await enqueue(rig, 5);
    const handOver = dateOfGpsTime(slot).getTime() - 2000;
    await rig.clock.advance(handOver - rig.clock.now().getTime() - 1);
    assert.deepEqual(rig.sent, []);
    await rig.clock.advance(1);
    assert.deepEqual([senders(rig), rig.sent.length], [[a, b], 2]);
    for (const frame of rig.sent) {
      const { timing, gpsEpochTimingInfo, frequency, loRaModulationInfo } = txInfoOf(frame)!;
      assert.deepEqual([timing, gpsEpochTimingInfo?.timeSinceGPSEpoch], ['GPS_EPOCH', slot]);
      assert.deepEqual([frequency, loRaModulationInfo?.spreadingFactor], [869_525_000, 9]);
    }
  });

  it('uses the hopping of the region', async () => {
    const rig = await grouped([{ [a]: 9 }], { ...classB, dr: 8 }, { region: 'US915' });
    await enqueue(rig, 5);
    await rig.clock.advance(130_000);
    const { gpsEpochTimingInfo, frequency } = txInfoOf(rig.sent[0])!;
    const beacon = Math.floor(gpsEpochTimingInfo!.timeSinceGPSEpoch! / 128_000) * 128;
    const { region } = rig.server;
    assert.equal(frequency, pingSlotFrequency(region, mcAddr, beacon));
  });

  it('gives each downlink its own slot, in order', async () => {
    const rig = await grouped([{ [a]: 9 }], { ...classB, pingSlotPeriod: 32 });
    for (const fCnt of [5, 6, 7]) await enqueue(rig, fCnt);
    for (let at = 0; at < 3; at += 1) {
      while (rig.sent.length <= at) await rig.clock.advance(100);
      await rig.acknowledge(rig.sent[at]!);
    }
    const slots = rig.sent.map((frame) => txInfoOf(frame)!.gpsEpochTimingInfo!.timeSinceGPSEpoch!);
    assert.deepEqual(
      left(rig).map(([, fCnt]) => fCnt),
      [5, 6, 7],
    );
    assert.deepEqual([slots[1]! - slots[0]!, slots[2]! - slots[1]!], [960, 960]);
  });

  it('uses another slot when its own has passed', async () => {
    const rig = await grouped([{ [a]: 9 }], classB);
    rig.disconnectGateways();
    await enqueue(rig, 5);
    await rig.clock.advance(40_000);
    rig.connectGateways();
    while (rig.sent.length === 0) await rig.clock.advance(1000);
    const slot = txInfoOf(rig.sent[0])!.gpsEpochTimingInfo!.timeSinceGPSEpoch!;
    assert.ok(slot > gpsTimeOf(rig.clock.now()));
    assert.equal(nextPingSlot(mcAddr, slot - 1, pingNb), slot);
  });
});

describe('multicast and crashes', () => {
  for (const fate of ['dies before', 'dies after'] as const)
    for (const nth of [1, 2, 3, 4])
      it(`sends the same frames and loses none when the server ${fate} its write ${nth}`, async () => {
        const rig = await grouped([{ [a]: 9 }]);
        let writes = 0;
        rig.decideFates(() => ((writes += 1) === nth ? fate : 'lives'));
        const isQueued = await rig.survives(enqueue(rig, 5));
        await rig.survives(rig.clock.advance(100));
        if (rig.sent[0]) await rig.survives(rig.acknowledge(rig.sent[0]));
        rig.decideFates(() => 'lives');
        const counter = await rig.state.multicastFCnt(groupID);
        await rig.restart();
        await rig.clock.advance(15_000);
        if (isQueued) assert.equal(counter, 6);
        assert.equal(rig.sent.length > 0, counter === 6, 'what spent its counter leaves');
        assert.ok(new Set(rig.sent.map((frame) => frame.items[0]!.phyPayload.toHex())).size <= 1);
      });
});
