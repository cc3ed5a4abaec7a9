import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRig, type RigOptions, understood } from '../testing/rig.ts';

async function adrRig(options: RigOptions = {}) {
  const rig = await createRig(options);
  const { region = 'EU868' } = options;
  return { rig, device: await rig.joined({ adr: true, region }) };
}

/** One uplink and the downlink that the device received. */
type Talk = Awaited<ReturnType<typeof adrRig>>;
async function talk({ rig, device }: Talk, snr: number): Promise<string[]> {
  const received = understood(device, await rig.exchange(device.uplink({ fPort: 1 }), { snr }));
  return received && 'commands' in received ? received.commands : [];
}

const powerOf = ({ session }: Talk['device']) => session?.radio.txPowerIndex ?? 0;

describe('adaptive data-rate', () => {
  it('requests less power from a strong device after 20 uplinks, and not again when it accepted', async () => {
    const { rig, device } = await adrRig();
    const asked: string[][] = [];
    for (let uplink = 0; uplink < 42; uplink++) asked.push(await talk({ rig, device }, 30 - 2 * powerOf(device)));
    const requests = asked.flatMap((commands, uplink) => (commands.includes('LinkADRReq') ? [uplink] : []));
    assert.deepEqual(requests, [19]);
    const session = await rig.session();
    assert.equal(session?.txPowerIndex, 7);
    assert.equal(device.session?.radio.txPowerIndex, 7);
    assert.deepEqual(session?.pendingRequests, {});
  });

  it('raises the data-rate of a slow device after 20 uplinks and uses it', async () => {
    const { rig, device } = await adrRig();
    const slow = rig.sameDeviceAt(device, 0, { adr: true, dataRate: 0 });
    for (let uplink = 0; uplink < 20; uplink++) {
      assert.equal(slow.session?.radio.dataRate, 0);
      await talk({ rig, device: slow }, 0);
    }
    assert.equal(slow.session?.radio.dataRate, 3);
    await talk({ rig, device: slow }, 0);
    const session = await rig.session();
    assert.deepEqual([session?.dr, session?.uplinkHistory.length], [3, 1]);
    const last = rig.application.calls.findLast((call) => call.event === 'up');
    const [ans] = last?.radio?.mac ?? [];
    assert.deepEqual(
      [ans?.name, ans?.payload],
      ['LinkADRAns', { channelMaskAck: true, dataRateAck: true, powerAck: true }],
    );
    assert.deepEqual([ans?.before?.dataRate, ans?.request?.['dataRate']], [0, 3]);
  });

  it('measures again for 20 uplinks after each change that a device accepts', async () => {
    const { rig, device } = await adrRig();
    const requests: number[] = [];
    for (let uplink = 0; uplink < 80; uplink++) {
      const commands = await talk({ rig, device }, 11 - 2 * powerOf(device));
      if (commands.includes('LinkADRReq')) requests.push(uplink);
    }
    assert.deepEqual(requests, [19, 39]);
    assert.equal(powerOf(device), 3);
  });

  it('repeats a request that was not received, with the same settings, and measures again after the answer', async () => {
    const { rig, device } = await adrRig();
    for (let uplink = 0; uplink < 19; uplink++) await talk({ rig, device }, 6);
    assert.ok(await rig.exchange(device.uplink({ fPort: 1 }), { snr: 6 }), 'a request that the device does not hear');
    const unanswered = await rig.session();
    assert.deepEqual([unanswered?.txPowerIndex, unanswered?.uplinkHistory.length], [0, 20]);
    assert.deepEqual(await talk({ rig, device }, 6), ['LinkADRReq']);
    assert.equal(powerOf(device), 1);
    await talk({ rig, device }, 4);
    const answered = await rig.session();
    assert.deepEqual([answered?.txPowerIndex, answered?.uplinkHistory.length], [1, 1]);
  });

  it('assumes full power of a device that set ADRACKReq for so long, and logs that', async () => {
    const { rig, device } = await adrRig();
    for (let uplink = 0; uplink < 21; uplink++) await talk({ rig, device }, 12 - 2 * powerOf(device));
    assert.equal((await rig.session())?.txPowerIndex, 3);
    while (powerOf(device) > 0) device.uplink({ fPort: 1 });
    const uplink = device.uplink({ fPort: 1 });
    const received = understood(device, await rig.exchange(uplink, { snr: 12 }));
    assert.deepEqual(received && 'commands' in received && received.commands, ['LinkADRReq']);
    const doubtful = await rig.session();
    assert.deepEqual([doubtful?.txPowerIndex, doubtful?.uplinkHistory.length], [0, 1]);
    assert.deepEqual(await talk({ rig, device }, 12), []);
    assert.equal(powerOf(device), 0);
  });

  it('keeps the current power when a device sets ADRACKReq and is answered in time', async () => {
    const { rig, device } = await adrRig();
    for (let uplink = 0; uplink < 22; uplink++) await talk({ rig, device }, 12 - 2 * powerOf(device));
    await rig.exchange(device.uplink({ fPort: 1, adrAckReq: true }), { snr: 6 });
    const session = await rig.session();
    assert.deepEqual([session?.txPowerIndex, session?.uplinkHistory.length], [3, 3]);
  });

  for (const [title, options] of [
    ['of the network', { settings: { adrMinDR: 2 } }],
    ['of the service-profile', { serviceProfile: { drMin: 2 } }],
  ] as const) {
    it(`uses the lowest data-rate ${title}`, async () => {
      const { rig, device } = await adrRig(options);
      const slow = rig.sameDeviceAt(device, 0, { adr: true, dataRate: 0 });
      await talk({ rig, device: slow }, -25);
      assert.equal(slow.session?.radio.dataRate, 2);
    });
  }

  it('uses the lowest power of the network', async () => {
    const { rig, device } = await adrRig({ settings: { adrMinTxPower: 11 } });
    for (let uplink = 0; uplink < 30; uplink++) await talk({ rig, device }, 30);
    assert.equal(powerOf(device), 2, '12 dBm: the next step of EU868 is 10 dBm');
  });

  it('requests nothing from a device without ADR, and from any device when it is off', async () => {
    const rig = await createRig();
    const device = await rig.joined({ adr: false });
    assert.deepEqual(await talk({ rig, device }, 20), []);
    const off = await adrRig({ settings: { disableADR: true } });
    assert.deepEqual(await talk(off, 20), []);
  });

  it('stops requesting from a device that keeps refusing', async () => {
    const { rig, device } = await adrRig();
    const asked: number[] = [];
    for (let uplink = 0; uplink < 30; uplink++) {
      const refused = rig.refusing(device, uplink);
      asked.push((await talk({ rig, device: refused }, 20)).filter((name) => name === 'LinkADRReq').length);
    }
    assert.ok(
      asked.slice(-3).every((count) => count === 0),
      `asked ${asked.join()}`,
    );
    assert.equal((await rig.session())?.macErrors[3], 4);
  });

  it('answers ADRACKReq and sends what the device may have lost', async () => {
    const extraChannels = [{ frequency: 867_100_000, minDR: 0, maxDR: 5 }];
    const rig = await createRig({ settings: { extraChannels } });
    const device = await rig.joined();
    await rig.exchange(device.uplink({ fPort: 1 }));
    const received = understood(device, await rig.exchange(device.uplink({ fPort: 1, adrAckReq: true })));
    assert.deepEqual(received && 'commands' in received && received.commands, ['NewChannelReq']);
    await rig.exchange(device.uplink({ fPort: 1 }));
    assert.deepEqual((await rig.session())?.enabledChannels, [0, 1, 2, 3]);
  });

  it('moves a US915 device to the sub-band of the network, and answers in the fixed plan', async () => {
    const enabledChannels = [8, 9, 10, 11, 12, 13, 14, 15, 65];
    const { rig, device } = await adrRig({ region: 'US915', settings: { enabledChannels }, macVersion: '1.0.2' });
    assert.ok((await talk({ rig, device }, 0)).includes('LinkADRReq'));
    assert.deepEqual(device.session?.radio.enabledChannels, enabledChannels);
    const uplink = device.uplink({ fPort: 1, confirmed: true });
    const frame = await rig.exchange(uplink, { snr: 0 });
    assert.deepEqual((await rig.session())?.enabledChannels, enabledChannels);
    const [rx1, rx2] = frame?.items ?? [];
    assert.equal(rx1?.txInfo?.frequency, uplink.windows[0]?.frequency);
    assert.equal(rx1?.txInfo?.loRaModulationInfo?.bandwidth, 500);
    assert.equal(rx2?.txInfo?.frequency, 923_300_000);
  });
});

describe('device status', () => {
  it('is requested and reported to the application', async () => {
    const rig = await createRig({
      serviceProfile: { devStatusReqFreq: 1, reportDevStatusBattery: true, reportDevStatusMargin: true },
    });
    const device = await rig.joined({ battery: 127 });
    assert.deepEqual(await talk({ rig, device }, 5), ['DevStatusReq']);
    assert.deepEqual(await talk({ rig, device }, 5), []);
    const status = rig.application.calls.find((call) => call.event === 'status');
    assert.equal(status?.status.batteryLevel, 50);
    assert.deepEqual(rig.events(), ['up 0', 'status', 'up 1']);
  });
});

describe('requests of the device', () => {
  for (const macVersion of ['1.0.3', '1.1.0']) {
    it(`are answered (${macVersion})`, async () => {
      const rig = await createRig({ macVersion });
      const device = await rig.joined();
      await talk({ rig, device }, 5);
      device.ask('LinkCheckReq');
      device.ask('DeviceTimeReq');
      assert.deepEqual(await talk({ rig, device }, 5), ['LinkCheckAns', 'DeviceTimeAns']);
    });
  }
});
