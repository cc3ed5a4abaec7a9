/** Frames without a device: one gateway sends them, others receive them, and the application gets them. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { create, ns, type Status } from '@hilltop/protobuf';
import { createRig, gatewayIDs } from '../testing/rig.ts';

const mic = Uint8Array.of(1, 2, 3, 4);

function ping(change: Partial<ns.SendProprietaryPayloadRequest> = {}): ns.SendProprietaryPayloadRequest {
  const gatewayMacs = [Uint8Array.fromHex(gatewayIDs[0])];
  return create(ns.SendProprietaryPayloadRequest, { mic, gatewayMacs, frequency: 868_100_000, dr: 5, ...change });
}

describe('a ping', () => {
  it('is sent at once, with the polarization that gateways receive', async () => {
    const rig = await createRig();
    await rig.server.service.sendProprietaryPayload(ping());
    const [frame] = rig.sent;
    assert.equal(frame?.gatewayID.toHex(), gatewayIDs[0]);
    assert.equal(frame.items.length, 1);
    const [{ phyPayload, txInfo } = { phyPayload: new Uint8Array(), txInfo: null }] = frame.items;
    assert.equal(phyPayload.toHex(), 'e001020304');
    assert.equal(txInfo?.timing, 'IMMEDIATELY');
    assert.equal(txInfo.frequency, 868_100_000);
    assert.deepEqual(txInfo.loRaModulationInfo, {
      bandwidth: 125,
      spreadingFactor: 7,
      codeRate: '4/5',
      polarizationInversion: false,
    });
  });

  it('is shown in the log of its gateway when that has sent it, and never in that of a device', async () => {
    const rig = await createRig();
    await rig.server.service.sendProprietaryPayload(ping());
    await rig.server.service.sendProprietaryPayload(ping());
    await rig.acknowledge(rig.sent[0]!, 'TX_FREQ');
    await rig.acknowledge(rig.sent[1]!);
    const frames = await rig.gatewayFrames(1);
    assert.deepEqual(
      frames.map(({ downlinkFrame }) => downlinkFrame?.downlinkID.toHex()),
      [rig.sent[1]!.downlinkID.toHex()],
    );
    assert.deepEqual(rig.application.calls, []);
  });

  describe('that the caller waits for', () => {
    const one = { gatewayID: gatewayIDs[0], mic, frequency: 868_100_000, dr: 5 };
    it('is sent when its gateway confirms it, and not when that refuses or does not answer', async () => {
      const rig = await createRig();
      const [sent, refused, silent] = [rig.server.ping(one), rig.server.ping(one), rig.server.ping(one)];
      await rig.acknowledge(rig.sent[0]!);
      await rig.acknowledge(rig.sent[1]!, 'TX_FREQ');
      await rig.clock.advance(2_000);
      assert.deepEqual(await Promise.all([sent, refused, silent]), ['SENT', 'TX_FREQ', 'NO_ANSWER']);
    });

    it('is never sent by a Basics Station, nor by a disconnected gateway', async () => {
      const rig = await createRig();
      rig.gateways.open(gatewayIDs[1], {
        link: 'basics-station',
        isProven: true,
        send: () => assert.fail('it was sent'),
      });
      assert.equal(await rig.server.ping({ ...one, gatewayID: gatewayIDs[1] }), 'BASICS_STATION');
      const gatewayMacs = [Uint8Array.fromHex(gatewayIDs[1])];
      await assert.rejects(rig.server.service.sendProprietaryPayload(ping({ gatewayMacs })), {
        code: 'FailedPrecondition',
      });
      assert.equal(await rig.server.ping({ ...one, gatewayID: '0a00000000000009' }), 'NOT_CONNECTED');
    });
  });

  it('may have a data-rate that only devices use', async () => {
    const rig = await createRig({ region: 'US915' });
    await rig.server.service.sendProprietaryPayload(ping({ frequency: 903_900_000, dr: 3 }));
    assert.equal(rig.sent[0]?.items[0]?.txInfo?.loRaModulationInfo?.spreadingFactor, 7);
  });

  const refusals: [string, Partial<ns.SendProprietaryPayloadRequest>, Status][] = [
    ['of a gateway nobody knows', { gatewayMacs: [new Uint8Array(8)] }, 'NotFound'],
    ['elsewhere in the spectrum', { frequency: 433_000_000 }, 'InvalidArgument'],
    ['with a data-rate of no LoRa', { dr: 7 }, 'InvalidArgument'],
    ['with a data-rate that is none', { dr: 15 }, 'InvalidArgument'],
    ['with a short code', { mic: Uint8Array.of(1) }, 'InvalidArgument'],
  ];
  for (const [what, change, code] of refusals)
    it(`is refused ${what}`, async () => {
      const rig = await createRig();
      await assert.rejects(rig.server.service.sendProprietaryPayload(ping(change)), { name: 'RpcError', code });
      assert.deepEqual(rig.sent, []);
    });

  it('that was received is reported to the application with all receivers', async () => {
    const rig = await createRig();
    const device = await rig.joined();
    const frame = { ...device.uplink({ fPort: 1 }), phyPayload: Uint8Array.fromHex('e001020304') };
    await rig.receiveFrame(frame, { gatewayID: gatewayIDs[0], rssi: -90 });
    await rig.receiveFrame(frame, { gatewayID: gatewayIDs[1], rssi: -101 });
    await rig.clock.advance(400);
    assert.deepEqual(
      rig.application.proprietary.map(({ mic: code, rxInfo }) => [
        code.toHex(),
        rxInfo.map(({ gatewayID, rssi }) => [gatewayID.toHex(), rssi]),
      ]),
      [
        [
          '01020304',
          [
            [gatewayIDs[0], -90],
            [gatewayIDs[1], -101],
          ],
        ],
      ],
    );
  });
});
