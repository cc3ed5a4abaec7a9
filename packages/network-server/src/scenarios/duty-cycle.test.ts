import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { limitedSubBandOf, limitedSubBands, region } from '@hilltop/lorawan';
import { create, type gw, ns } from '@hilltop/protobuf';
import { type Device, seededRandom } from '@hilltop/simulator';
import { airtimeOfItem } from '../network/frame-airtime.ts';
import { createRig, devEUI, gatewayIDs, type Rig, type RigOptions } from '../testing/rig.ts';

const eu868 = region('EU868');
const [a, b] = gatewayIDs;
const hourMs = 3_600_000;
/** The sub-bands of RX1 on the default channels, and of RX2. */
const [ofRX1, ofRX2] = [868_100_000, 869_525_000].map((hertz) => limitedSubBandOf(eu868, hertz)!.from);

const keeping = { settings: { dutyCycle: 'KEEP' } } as const satisfies RigOptions;

/** The gateway has no airtime left in that sub-band. */
function exhaust(rig: Rig, gatewayID: string, subBand: number): void {
  const { dutyCycle } = limitedSubBands(eu868).find(({ from }) => from === subBand)!;
  rig.dutyCycleUse.add({ gatewayID, subBand, minute: rig.dutyCycleUse.minute(), us: dutyCycle * hourMs * 1000 });
}

const describeSent = (frame: gw.DownlinkFrame | undefined) =>
  frame && {
    gatewayID: frame.gatewayID.toHex(),
    subBands: frame.items.map(({ txInfo }) => limitedSubBandOf(eu868, txInfo!.frequency)?.from),
  };

const stepsOf = (rig: Rig, itemID: string) =>
  rig.application.reports.flatMap((report) => (report.itemID === itemID ? [report.step] : []));

/** A device that both gateways hear well; its next uplink wants an answer. */
async function heardByBoth(
  options: RigOptions,
): Promise<{ rig: Rig; answer: () => Promise<gw.DownlinkFrame | undefined> }> {
  const rig = await createRig(options);
  const device = await rig.joined();
  const answer = async () => {
    const before = rig.sent.length;
    const uplink = device.uplink({ fPort: 1, confirmed: true });
    for (const [position, gatewayID] of gatewayIDs.entries())
      await rig.receiveFrame(uplink, { gatewayID, snr: 9 - position * 30 });
    await rig.clock.advance(400);
    return rig.sent[before];
  };
  return { rig, answer };
}

describe('a response within the duty cycle', () => {
  it('uses RX2 where RX1 is used up, and another gateway where both are', async () => {
    const { rig, answer } = await heardByBoth({});
    assert.deepEqual(describeSent(await answer()), { gatewayID: a, subBands: [ofRX1, ofRX2] });
    exhaust(rig, a, ofRX1!);
    assert.deepEqual(describeSent(await answer()), { gatewayID: a, subBands: [ofRX2] });
    exhaust(rig, a, ofRX2!);
    assert.deepEqual(describeSent(await answer()), { gatewayID: b, subBands: [ofRX1, ofRX2] });
    assert.equal(rig.counts.get('downlinks_beyond_duty_cycle'), undefined);
  });

  it('is sent and counted when there is no other way, unless the duty cycle is kept', async () => {
    for (const dutyCycle of ['WATCH', 'KEEP', 'OFF'] as const) {
      const { rig, answer } = await heardByBoth({ settings: { dutyCycle } });
      for (const gatewayID of gatewayIDs) for (const subBand of [ofRX1!, ofRX2!]) exhaust(rig, gatewayID, subBand);
      await rig.enqueue('waits', { id: 'x' });
      const sent = await answer();
      const isKept = dutyCycle === 'KEEP';
      assert.deepEqual(
        [sent?.gatewayID.toHex(), sent?.items.length],
        isKept ? [undefined, undefined] : [a, 2],
        dutyCycle,
      );
      assert.deepEqual(stepsOf(rig, 'x'), [isKept ? 'DUTY_CYCLE' : 'SENDING']);
      assert.equal(rig.counts.get('downlinks_beyond_duty_cycle'), dutyCycle === 'WATCH' ? 1 : undefined);
      assert.equal(rig.counts.get('downlinks_without_duty_cycle'), isKept ? 1 : undefined);
      if (!isKept) continue;
      await rig.clock.advance(hourMs + 120_000);
      assert.equal((await answer())?.items.length, 2);
      assert.deepEqual(stepsOf(rig, 'x'), ['DUTY_CYCLE', 'SENDING']);
    }
  });

  it('keeps an item that fits only into a window which is used up', async () => {
    const { rig, answer } = await heardByBoth(keeping);
    await rig.enqueue('x'.repeat(100), { id: 'x' });
    for (const gatewayID of gatewayIDs) exhaust(rig, gatewayID, ofRX1!);
    assert.equal(await answer(), undefined);
    assert.deepEqual(stepsOf(rig, 'x'), ['DUTY_CYCLE']);
  });

  it('of a join is chosen alike', async () => {
    const rig = await createRig(keeping);
    const join = async () => describeSent((await rig.exchange(rig.device().joinRequest())) ?? undefined)?.subBands;
    exhaust(rig, a, ofRX1!);
    assert.deepEqual(await join(), [ofRX2]);
    exhaust(rig, a, ofRX2!);
    const device = rig.device({ random: seededRandom(2) });
    assert.equal(await rig.exchange(device.joinRequest()), null);
  });

  it('goes to the next gateway within its limits when one refuses', async () => {
    const { rig, answer } = await heardByBoth(keeping);
    exhaust(rig, b, ofRX1!);
    await rig.acknowledge((await answer())!, 'TOO_LATE', 'TOO_LATE');
    assert.deepEqual(describeSent(rig.sent.at(-1)), { gatewayID: b, subBands: [ofRX2] });
    exhaust(rig, b, ofRX2!);
    const last = (await answer())!;
    await rig.acknowledge(last, 'TOO_LATE', 'TOO_LATE');
    assert.equal(rig.sent.at(-1), last);
  });
});

describe('the account of a gateway', () => {
  it('has what was sent, and for both windows until the gateway answers', async () => {
    const { rig, answer } = await heardByBoth({});
    await rig.acknowledge(rig.sent.at(-1)!, 'OK');
    const usedUs = () => [ofRX1!, ofRX2!].map((subBand) => rig.dutyCycleUse.usedUs(a, subBand));
    const [beforeRX1 = 0, beforeRX2 = 0] = usedUs();
    const frame = (await answer())!;
    const [rx1 = 0, rx2 = 0] = frame.items.map((item) => airtimeOfItem(item) ?? 0);
    assert.deepEqual(usedUs(), [beforeRX1 + rx1, beforeRX2 + rx2]);
    await rig.acknowledge(frame, 'TOO_LATE', 'OK');
    assert.deepEqual(usedUs(), [beforeRX1, beforeRX2 + rx2]);
    await rig.acknowledge((await answer())!, 'TX_FREQ', 'TX_FREQ');
    // The second gateway sends in its place.
    assert.deepEqual(usedUs(), [beforeRX1, beforeRX2 + rx2]);
  });

  it('gives back what a disconnected gateway did not get', async () => {
    const rig = await createRig();
    rig.gateways.open(a, { link: 'semtech-udp', isProven: false, send: () => false });
    await rig.exchange(rig.device().joinRequest());
    assert.equal(rig.dutyCycleUse.usedUs(a, ofRX1!), 0);
  });

  it('is empty where the region limits nothing', async () => {
    const rig = await createRig({ region: 'US915', ...keeping });
    await rig.joined();
    for (const { from } of region('US915').subBands) assert.equal(rig.dutyCycleUse.usedUs(a, from), 0);
  });

  it('does not follow a clock that is set', async () => {
    const rig = await createRig(keeping);
    exhaust(rig, a, ofRX1!);
    rig.clock.set(2 * hourMs);
    assert.ok(rig.dutyCycleUse.usedUs(a, ofRX1!) > 0);
  });
});

describe('downlinks without an uplink before them', () => {
  async function listening(): Promise<{ rig: Rig; device: Device }> {
    const rig = await createRig({ deviceProfile: { supportsClassC: true }, ...keeping });
    const device = await rig.joined();
    await rig.exchange(device.uplink({ fPort: 1 }));
    await rig.clock.advance(60_000);
    rig.sent.length = 0;
    return { rig, device };
  }

  it('wait at class C devices until a gateway has airtime', async () => {
    const { rig } = await listening();
    exhaust(rig, a, ofRX2!);
    await rig.enqueue('later', { id: 'x' });
    await rig.clock.advance(30 * 60_000);
    assert.deepEqual(rig.sent, []);
    assert.ok(stepsOf(rig, 'x').every((step) => step === 'DUTY_CYCLE'));
    await rig.clock.advance(35 * 60_000);
    assert.ok(rig.sent.length > 0);
  });

  it('wait at multicast groups, until their time is over', async () => {
    const rig = await createRig(keeping);
    const device = await rig.joined();
    await rig.exchange(device.uplink({ fPort: 1 }));
    const id = new Uint8Array(16).fill(0x77);
    const { service: serviceProfileId, routing: routingProfileId } = rig.profileIDs;
    const group = { id, mcAddr: Uint8Array.of(1, 2, 3, 4), mcNwkSKey: id, groupType: 'CLASS_C', dr: 0 } as const;
    await rig.server.service.createMulticastGroup({
      multicastGroup: create(ns.MulticastGroup, {
        ...group,
        frequency: 869_525_000,
        serviceProfileId,
        routingProfileId,
      }),
    });
    await rig.server.service.addDeviceToMulticastGroup({
      devEui: Uint8Array.fromHex(devEUI),
      multicastGroupId: id,
    });
    rig.sent.length = 0;
    exhaust(rig, a, ofRX2!);
    const item = { multicastGroupId: id, fCnt: 1, fPort: 10, frmPayload: Uint8Array.of(1) };
    await rig.server.service.enqueueMulticastQueueItem({ multicastQueueItem: item });
    await rig.clock.advance(5 * 60_000);
    assert.deepEqual(rig.sent, []);
    assert.equal(rig.counts.get('multicast_dropped duty-cycle'), 1);
  });

  it('are refused as pings', async () => {
    const rig = await createRig(keeping);
    exhaust(rig, a, ofRX1!);
    const one = { gatewayID: a, mic: new Uint8Array(4), frequency: 868_100_000, dr: 5 };
    assert.equal(await rig.server.ping(one), 'DUTY_CYCLE');
    const proprietary = { macPayload: new Uint8Array(), mic: one.mic, frequency: one.frequency, dr: one.dr };
    await assert.rejects(
      rig.server.service.sendProprietaryPayload({
        ...proprietary,
        gatewayMacs: [Uint8Array.fromHex(a)],
        polarizationInversion: true,
      }),
      { code: 'ResourceExhausted' },
    );
  });
});

it('no gateway exceeds the duty cycle in any hour of random downlinks while it is kept', async () => {
  const random = seededRandom(7);
  const pick = <One>(of: readonly One[]): One => of[Math.floor(random() * of.length)]!;
  const rig = await createRig(keeping);
  const onAir: { gatewayID: string; subBand: number; at: number; us: number }[] = [];
  const frequencies = [863_500_000, 867_100_000, 868_100_000, 868_900_000, 869_525_000, 869_800_000];
  const startedAt = rig.clock.monotonicMs();
  let refused = 0;
  while (rig.clock.monotonicMs() - startedAt < 1.5 * hourMs) {
    const before = rig.sent.length;
    if (random() < 0.1) {
      const device = rig.device({ random, devEUI });
      await rig.receiveFrame({ ...device.joinRequest() }, { gatewayID: pick(gatewayIDs) });
    }
    const frame = { mic: new Uint8Array(4), frequency: pick(frequencies), dr: Math.floor(random() * 3) };
    const macPayload = new Uint8Array(Math.floor(random() * 40));
    const gatewayMacs = [Uint8Array.fromHex(pick(gatewayIDs))];
    await rig.server.service
      .sendProprietaryPayload({ ...frame, macPayload, gatewayMacs, polarizationInversion: true })
      .catch(() => (refused += 1));
    await rig.clock.advance(random() * 6000);
    for (const sent of rig.sent.slice(before)) {
      const at = Math.floor(random() * sent.items.length);
      const item = sent.items[at]!;
      const isSent = random() < 0.9;
      const delayMs = item.txInfo?.delayTimingInfo?.delay ?? 0;
      if (isSent)
        onAir.push({
          gatewayID: sent.gatewayID.toHex(),
          subBand: limitedSubBandOf(eu868, item.txInfo!.frequency)!.from,
          at: rig.clock.monotonicMs() + delayMs,
          us: airtimeOfItem(item)!,
        });
      const statuses = sent.items.map((_, position): gw.TxAckStatus => (isSent && position === at ? 'OK' : 'TOO_LATE'));
      if (random() < 0.8) await rig.acknowledge(sent, ...statuses);
    }
    rig.sent.length = 0;
  }
  assert.ok(refused > 100 && onAir.length > 500, `${refused} refused, ${onAir.length} sent`);
  for (const { from, dutyCycle } of limitedSubBands(eu868)) {
    for (const gatewayID of gatewayIDs) {
      const own = onAir
        .filter((one) => one.gatewayID === gatewayID && one.subBand === from)
        .sort((x, y) => x.at - y.at);
      let [first, sum, most] = [0, 0, 0];
      for (const { at, us } of own) {
        sum += us;
        while (own[first]!.at <= at - hourMs) sum -= own[first++]!.us;
        most = Math.max(most, sum);
      }
      assert.ok(most <= dutyCycle * hourMs * 1000, `${most / 1000} ms of an hour in ${from} Hz by ${gatewayID}`);
    }
  }
});
