import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dataRateOf, encodeForwardedUplink, region, relayFPort } from '@hilltop/lorawan';
import { create, ns } from '@hilltop/protobuf';
import { createDevice, type Device, seededRandom, type Transmission } from '@hilltop/simulator';
import { createRig, gatewayIDs, joinEUI, devEUI as relayEUI } from '../testing/rig.ts';

const farEUI = '0a0b0c0d0e0f0001';
const nwkKey = new Uint8Array(16).fill(0x44);

/** A relay that gateways receive, and a device that only the relay receives. */
async function setUp() {
  const rig = await createRig();
  const relay = await rig.activated();
  const { device: profiles, service, routing } = rig.profileIDs;
  await rig.server.service.createDevice({
    device: create(ns.Device, {
      devEui: Uint8Array.fromHex(farEUI),
      deviceProfileId: profiles,
      serviceProfileId: service,
      routingProfileId: routing,
    }),
  });
  rig.rootKeys.set(farEUI, { nwkKey, appKey: nwkKey });
  const far = createDevice({
    devEUI: farEUI,
    joinEUI,
    nwkKey,
    macVersion: '1.0.3',
    adr: false,
    random: seededRandom(7),
  });

  const wrapped = ({ frequency, modulation, phyPayload }: Transmission) =>
    encodeForwardedUplink({
      frequency,
      phyPayload,
      rssi: -101,
      snr: -3,
      worChannel: 0,
      dataRate: dataRateOf(region('EU868'), modulation)!,
    });
  const forward = (by: Device, arrived: Transmission) => by.uplink({ fPort: relayFPort, data: wrapped(arrived) });

  /** What the device receives of the downlink that the gateway sent to the relay. */
  async function answered(arrived: Transmission) {
    const before = rig.sent.length;
    await rig.receiveFrame(forward(relay, arrived));
    await rig.clock.advance(950);
    const [frame, ...more] = rig.sent.slice(before);
    assert.deepEqual(more, []);
    if (!frame) return null;
    assert.equal(frame.gatewayID.toHex(), gatewayIDs[0]);
    const received = relay.receive(frame.items[0]!.phyPayload);
    assert.ok(received.kind === 'data' && received.fPort === relayFPort, JSON.stringify(received));
    return { frame, received: far.receive(received.data) };
  }
  return { rig, relay, far, wrapped, forward, answered };
}

const eventsOf = ({ rig }: Awaited<ReturnType<typeof setUp>>) =>
  rig.application.calls.flatMap((one) => ('devEUI' in one ? [`${one.event} ${one.devEUI}`] : []));

describe('a device behind a relay', () => {
  it('joins, and its uplinks are its own, received by the relay', async () => {
    const field = await setUp();
    const { rig, far, answered } = field;
    assert.equal((await answered(far.joinRequest()))?.received.kind, 'joined');
    assert.equal(await answered(far.uplink({ fPort: 5, data: new Uint8Array([1, 2]) })), null);
    assert.deepEqual(eventsOf(field), [`up ${farEUI}`]);
    const [up] = rig.application.calls;
    assert.ok(up?.event === 'up');
    assert.deepEqual(up.rx, [relayEUI]);
    const [{ rssi, loRaSNR } = { rssi: 0, loRaSNR: 0 }] = up.request.rxInfo;
    assert.deepEqual([rssi, loRaSNR], [-101, -3]);
    assert.deepEqual(await rig.unfinished(), []);
    const [joining] = await rig.framesOf(farEUI, 1);
    assert.deepEqual(joining?.relays, [relayEUI]);
    const [ofRelay] = await rig.framesOf(relayEUI, 1);
    assert.equal(ofRelay?.relays, undefined);
    const reported = rig.application.frames.map(({ devEUI, frame, logged }) => [devEUI, frame.mType, logged?.relays]);
    assert.deepEqual(reported, [
      [relayEUI, 'UnconfirmedDataUp', undefined],
      [farEUI, 'JoinRequest', [relayEUI]],
      [relayEUI, 'UnconfirmedDataUp', undefined],
    ]);
    assert.deepEqual(up.radio?.logged.relays, [relayEUI]);
  });

  it('is acknowledged and gets its queue through the windows of the relay', async () => {
    const field = await setUp();
    const { rig, far, answered } = field;
    await answered(far.joinRequest());
    await answered(far.uplink({ fPort: 5 }));
    const devEui = Uint8Array.fromHex(farEUI);
    const { fCnt } = await rig.server.service.getNextDownlinkFCntForDevEUI({ devEui });
    const { deviceActivation } = await rig.server.service.getDeviceActivation({ devEui });
    const devAddr = deviceActivation!.devAddr;
    const frmPayload = rig.application.encrypt(farEUI, devAddr.toHex(), fCnt, new TextEncoder().encode('turn left'));
    await rig.server.service.createDeviceQueueItem({
      item: { devEui, devAddr, fCnt, fPort: 9, frmPayload, confirmed: false },
    });
    const answer = await answered(far.uplink({ fPort: 5, confirmed: true }));
    assert.ok(answer?.received.kind === 'data');
    assert.equal(answer.received.acknowledged, true);
    assert.equal(new TextDecoder().decode(answer.received.data), 'turn left');
    await rig.acknowledge(answer.frame);
    assert.equal(eventsOf(field).at(-1), `txack ${farEUI}`);
    assert.deepEqual(await rig.state.queue(farEUI), []);
  });

  it('gets an error event when the gateway could not send for it', async () => {
    const field = await setUp();
    const { rig, far, answered } = field;
    await answered(far.joinRequest());
    const answer = await answered(far.uplink({ fPort: 5, confirmed: true }));
    await rig.acknowledge(answer!.frame, 'TOO_LATE', 'TOO_LATE');
    assert.deepEqual(eventsOf(field).slice(1).sort(), [`error ${relayEUI}`, `error ${farEUI}`].sort());
  });

  it('causes one event when gateways receive it, too', async () => {
    const field = await setUp();
    const { rig, relay, far, forward, answered } = field;
    await answered(far.joinRequest());
    const uplink = far.uplink({ fPort: 5 });
    await rig.receiveFrame(uplink);
    await rig.clock.advance(3000);
    await rig.receiveFrame(forward(relay, uplink));
    await rig.clock.advance(3000);
    assert.deepEqual(eventsOf(field), [`up ${farEUI}`]);
  });

  it('loses nothing when the server ends between the forwarded uplink and the frame of the relay', async () => {
    const field = await setUp();
    const { rig, relay, far, forward, answered } = field;
    await answered(far.joinRequest());
    for (const fate of ['dies before', 'dies after'] as const) {
      rig.decideFates(() => fate);
      await rig.receiveFrame(forward(relay, far.uplink({ fPort: 5 })));
      await rig.clock.advance(250);
      assert.ok(rig.isDead());
      rig.decideFates(() => 'lives');
      await rig.restart();
      await rig.clock.advance(2000);
    }
    assert.deepEqual(eventsOf(field), [`up ${farEUI}`, `up ${farEUI}`]);
    assert.deepEqual(await rig.unfinished(), []);
  });

  it('is ignored when the relay forwards invalid data, forwards a relay, or repeats itself', async () => {
    const field = await setUp();
    const { rig, relay, far, forward, answered } = field;
    await answered(far.joinRequest());
    const nested = far.uplink({ fPort: relayFPort, data: new Uint8Array(20).fill(1) });
    await rig.receiveFrame(forward(relay, nested));
    await rig.clock.advance(2000);
    for (const data of [new Uint8Array(), new Uint8Array(6), new Uint8Array(40).fill(0xff)])
      await rig.receiveFrame(relay.uplink({ fPort: relayFPort, data }));
    await rig.clock.advance(2000);
    const once = forward(relay, far.uplink({ fPort: 5 }));
    await rig.receiveFrame(once);
    await rig.clock.advance(3000);
    await rig.receiveFrame(once);
    await rig.clock.advance(3000);
    assert.equal(eventsOf(field).filter((event) => event === `up ${farEUI}`).length, 2);
    assert.deepEqual(await rig.unfinished(), []);
  });

  it('cannot use a gateway with the same EUI, registered here or connected to another network server', async () => {
    for (const isRegistered of [true, false]) {
      const field = await setUp();
      const { rig, relay, far, forward, answered } = field;
      await answered(far.joinRequest());
      if (isRegistered) await rig.addGateway(relayEUI);
      else
        rig.gateways.open(relayEUI, {
          link: 'semtech-udp',
          isProven: false,
          send: (frame) => rig.sent.push(frame) > 0,
        });
      rig.sent.length = 0;
      await rig.receiveFrame(forward(relay, far.uplink({ fPort: 5, confirmed: true })));
      await rig.clock.advance(3000);
      assert.deepEqual(eventsOf(field), [`error ${relayEUI}`, `up ${relayEUI}`]);
      const [error] = rig.application.calls;
      assert.ok(error?.event === 'error');
      assert.match(error.error, /gateway .* EUI/);
      assert.equal(rig.counts.get('relayed_uplinks_refused'), 1);
      assert.deepEqual(rig.sent, []);
    }
  });

  it('does not prevent a gateway from connecting with the EUI of its relay', async () => {
    const { rig } = await setUp();
    const accept = () => true;
    assert.ok(rig.gateways.open(relayEUI, { link: 'relay', isProven: false, send: accept }));
    assert.ok(rig.gateways.open(relayEUI, { link: 'semtech-udp', isProven: false, send: accept }));
    assert.ok(!rig.gateways.open(relayEUI, { link: 'relay', isProven: false, send: accept }));
  });
});
