import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRig, devEUI, gatewayIDs, understood } from './testing/rig.ts';

const text = (value: string) => new TextEncoder().encode(value);

describe('collecting', () => {
  it('makes one event of two copies, best reception first, one frame log entry each', async () => {
    const rig = await createRig();
    const device = await rig.joined();
    const uplink = device.uplink({ fPort: 5, data: text('hi') });
    await rig.hear(uplink, { gatewayID: gatewayIDs[0], snr: 2 });
    await rig.clock.advance(150);
    await rig.hear(uplink, { gatewayID: gatewayIDs[1], snr: 9 });
    await rig.clock.advance(150);
    const ups = rig.application.told.filter((told) => told.event === 'up');
    assert.deepEqual(
      ups.map(({ fCnt, fPort, rx }) => ({ fCnt, fPort, rx })),
      [{ fCnt: 0, fPort: 5, rx: [gatewayIDs[1], gatewayIDs[0]] }],
    );
    for (const gatewayID of gatewayIDs) {
      const abort = new AbortController();
      const request = { gatewayId: Uint8Array.fromHex(gatewayID) };
      for await (const { uplinkFrameSet } of rig.server.service.streamFrameLogsForGateway(request, abort.signal)) {
        if (uplinkFrameSet?.mType !== 'UnconfirmedDataUp') continue;
        assert.equal(uplinkFrameSet.rxInfo.length, 1);
        assert.equal(uplinkFrameSet.rxInfo[0]?.gatewayID.toHex(), gatewayID);
        break;
      }
    }
  });
});

describe('joining', () => {
  for (const macVersion of ['1.0.2', '1.0.3', '1.1.0']) {
    it(`answers a ${macVersion} device in its windows and verifies its first uplink`, async () => {
      const rig = await createRig({ macVersion });
      const device = await rig.joined();
      const [accept] = rig.sent;
      const [rx1, rx2] = accept?.items ?? [];
      assert.equal(rx1?.txInfo?.delayTimingInfo?.delay, 5000);
      assert.equal(rx2?.txInfo?.delayTimingInfo?.delay, 6000);
      assert.equal(rx2?.txInfo?.frequency, 869_525_000);
      assert.equal(rx2?.txInfo?.loRaModulationInfo?.spreadingFactor, 12);
      await rig.exchange(device.uplink({ fPort: 7, data: text('first') }));
      const [up] = rig.application.told;
      assert.equal(up?.event, 'up');
      if (up?.event !== 'up') return;
      assert.equal(up.request.deviceActivationContext?.devAddr.toHex(), device.session?.devAddr);
      assert.equal(up.request.deviceActivationContext?.appSKey?.aesKey.toHex(), device.session?.keys.appSKey.toHex());
      await rig.exchange(device.uplink({ fPort: 7, data: text('second') }));
      const second = rig.application.told.filter((told) => told.event === 'up')[1];
      assert.equal(second?.request.deviceActivationContext, null);
    });
  }
});
