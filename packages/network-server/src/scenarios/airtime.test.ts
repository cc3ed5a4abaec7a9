import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { airtime } from '@hilltop/lorawan';
import type { ReceivedAirtime } from '../ports/airtime.ts';
import { createRig, devEUI, gatewayIDs } from '../testing/rig.ts';

const senderOf = ({ sender }: ReceivedAirtime) =>
  sender.kind === 'own'
    ? (sender.devEUI ?? 'own')
    : sender.kind === 'foreign'
      ? (sender.netID ?? 'foreign')
      : 'unreadable';

describe('airtime of received frames', () => {
  it('counts each copy once, for its device', async () => {
    const rig = await createRig();
    const device = await rig.joined();
    const { receivedFrames } = rig.airtimes;
    assert.deepEqual(receivedFrames.splice(0).map(senderOf), [devEUI]);
    const uplink = device.uplink({ fPort: 5, data: new Uint8Array(20) });
    await rig.receiveFrame(uplink, { gatewayID: gatewayIDs[0] });
    await rig.receiveFrame(uplink, { gatewayID: gatewayIDs[1] });
    await rig.clock.advance(400);
    const { frequency, dataRate: dr, phyPayload, modulation } = uplink;
    const airtimeUs = Math.round(airtime(phyPayload.length, modulation) * 1000);
    const frame = { frequency, dr, airtimeUs, sender: { kind: 'own', devEUI } };
    assert.deepEqual(
      receivedFrames.splice(0),
      gatewayIDs.map((gatewayID) => ({ gatewayID, ...frame })),
    );
    // Late: only the address tells whose it is.
    await rig.receiveFrame(uplink, { gatewayID: gatewayIDs[1] });
    await rig.clock.advance(400);
    assert.deepEqual(receivedFrames, [{ gatewayID: gatewayIDs[1], ...frame, sender: { kind: 'own' } }]);
  });

  it('tells foreign frames by the NetID of their address, and those without a known device', async () => {
    const rig = await createRig();
    const session = { keys: { nwkSKey: new Uint8Array(16), appSKey: new Uint8Array(16) }, fCntUp: 0, fCntDown: 0 };
    const stranger = (devAddr: string) => rig.device({ session: { ...session, devAddr, dataRate: 5 } });
    for (const devAddr of ['48000001', '01020304', 'fc00a801'])
      await rig.exchange(stranger(devAddr).uplink({ fPort: 1 }));
    await rig.exchange(rig.device({ devEUI: 'aa00000000000001' }).joinRequest());
    const garbage = { ...stranger('48000001').uplink({ fPort: 1 }), phyPayload: Uint8Array.of(0x40, 1, 2) };
    await rig.exchange(garbage);
    assert.deepEqual(rig.airtimes.receivedFrames.map(senderOf), [
      '000024',
      '000000',
      'c0002a',
      'foreign',
      'unreadable',
    ]);
  });

  it('counts a frame with a wrong MIC for the network of its address, not for the device that has it', async () => {
    const rig = await createRig();
    const device = await rig.joined();
    rig.airtimes.receivedFrames.length = 0;
    const uplink = device.uplink({ fPort: 1 });
    uplink.phyPayload[uplink.phyPayload.length - 1]! ^= 1;
    await rig.exchange(uplink);
    assert.deepEqual(rig.airtimes.receivedFrames.map(senderOf), ['000013']);
  });
});

describe('airtime of sent frames', () => {
  it('counts the item that the gateway has sent', async () => {
    const rig = await createRig();
    const device = await rig.joined();
    const { sentFrames } = rig.airtimes;
    assert.equal(sentFrames.length, 1);
    await rig.receiveFrame(device.uplink({ fPort: 1, confirmed: true }));
    await rig.clock.advance(400);
    const frame = rig.sent.at(-1)!;
    await rig.acknowledge(frame, 'TOO_LATE', 'OK');
    const bytes = frame.items[1]?.phyPayload.length ?? 0;
    const rx2 = { modulation: 'LORA', bandwidth: 125, spreadingFactor: 12 } as const;
    assert.deepEqual(
      sentFrames.slice(1).map(({ gatewayID, subBand, airtimeUs }) => [gatewayID, subBand?.from, airtimeUs]),
      [[gatewayIDs[0], 869_400_000, Math.round(airtime(bytes, rx2, 'down') * 1000)]],
    );
  });

  it('names no sub-band where the region limits no duty cycle', async () => {
    const rig = await createRig({ region: 'US915' });
    await rig.joined();
    assert.deepEqual(
      rig.airtimes.sentFrames.map(({ subBand }) => subBand),
      [undefined],
    );
  });
});
