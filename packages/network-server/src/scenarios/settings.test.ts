/**
 * Settings that change while the network server runs: verifies the table of network.md by the next downlinks of a
 * device.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeMacCommands, macCommand } from '@hilltop/lorawan';
import type { Settings } from '../settings/settings.ts';
import { createRig, understood } from '../testing/rig.ts';

const netID = '000013';
const extra = { frequency: 867_100_000, minDR: 0, maxDR: 5 };
type Rig = Awaited<ReturnType<typeof createRig>>;

/** The commands that a joined device gets with the answers to its next uplinks; it answers them in between. */
async function commandsAfter(rig: Rig, settings: Partial<Settings>, rounds = 3): Promise<string[][]> {
  const device = await rig.joined();
  understood(device, await rig.exchange(device.uplink({ fPort: 1, confirmed: true })));
  rig.server.configure({ netID, settings });
  const received: string[][] = [];
  for (let round = 0; round < rounds; round++) {
    const frame = await rig.exchange(device.uplink({ fPort: 1, confirmed: true }));
    const down = understood(device, frame);
    received.push(down && 'commands' in down ? down.commands : []);
  }
  return received;
}

const classB = { supportsClassB: true, pingSlotPeriod: 1024, pingSlotDr: 3, classBTimeout: 10 };

describe('settings that change while devices are in use', () => {
  /** A setting, and the commands in the answers that follow. */
  const owed: { title: string; settings: Partial<Settings>; commands: string[][] }[] = [
    { title: 'nothing', settings: {}, commands: [[], [], []] },
    { title: 'a channel off', settings: { enabledChannels: [0, 1] }, commands: [['LinkADRReq'], [], []] },
    { title: 'an extra channel', settings: { extraChannels: [extra] }, commands: [['NewChannelReq'], [], []] },
    { title: 'RX1 delay', settings: { rx1Delay: 5 }, commands: [['RXTimingSetupReq'], [], []] },
    { title: 'RX2', settings: { rx2DataRate: 3 }, commands: [['RXParamSetupReq'], [], []] },
    { title: 'offset', settings: { rx1DROffset: 2 }, commands: [['RXParamSetupReq'], [], []] },
    { title: 'MAC commands off', settings: { rx1Delay: 5, disableMACCommands: true }, commands: [[], [], []] },
  ];
  for (const { title, settings, commands } of owed) {
    it(`${title}: ${commands.flat().join(', ') || 'no command'}`, async () => {
      assert.deepEqual(await commandsAfter(await createRig(), settings), commands);
    });
  }

  /** Each change is requested once, also when it is reverted; class A devices do not get requests for class B. */
  const ofClassB: { title: string; settings: Partial<Settings>; command: string }[] = [
    { title: 'ping-slot data-rate', settings: { classBPingSlotDR: 4 }, command: 'PingSlotChannelReq' },
    {
      title: 'ping-slot frequency',
      settings: { classBPingSlotFrequency: 868_500_000 },
      command: 'PingSlotChannelReq',
    },
    { title: 'beacon frequency', settings: { classBBeaconFrequency: 868_900_000 }, command: 'BeaconFreqReq' },
  ];
  for (const { title, settings, command } of ofClassB) {
    it(`${title}: ${command} to devices of class B, and again when it is reverted`, async () => {
      const rig = await createRig({ deviceProfile: classB });
      const device = await rig.joined();
      const received: string[][] = [];
      for (const wanted of [{}, settings, settings, {}, {}]) {
        rig.server.configure({ netID, settings: wanted });
        const down = understood(device, await rig.exchange(device.uplink({ fPort: 1, confirmed: true })));
        received.push(down && 'commands' in down ? down.commands : []);
      }
      assert.deepEqual(received, [[], [command], [], [command], []]);
      assert.deepEqual(await commandsAfter(await createRig(), settings, 1), [[]]);
    });
  }

  it('a beacon frequency that devices refuse is not requested for ever', async () => {
    const rig = await createRig({ deviceProfile: classB });
    const device = await rig.activated();
    rig.server.configure({ netID, settings: { classBBeaconFrequency: 868_900_000, classBPingSlotDR: 3 } });
    const refusal = encodeMacCommands('up', [macCommand('BeaconFreqAns', { beaconFrequencyOK: false })]);
    const asked: boolean[] = [];
    for (let round = 0; round < 6; round++) {
      const uplink = round === 0 ? device.uplink({ fPort: 1 }) : rig.withCommands(device, refusal);
      const down = understood(device, await rig.exchange(uplink));
      asked.push(down !== null && 'commands' in down && down.commands.includes('BeaconFreqReq'));
    }
    assert.deepEqual(asked, [true, true, true, true, false, false]);
  });

  it('rejoin times are requested from 1.1 devices only', async () => {
    const settings = { rejoinRequest: { maxTimeN: 2, maxCountN: 3 } };
    assert.deepEqual(await commandsAfter(await createRig({ macVersion: '1.1.0' }), settings, 2), [
      ['RejoinParamSetupReq'],
      [],
    ]);
    assert.deepEqual(await commandsAfter(await createRig(), settings, 1), [[]]);
  });

  it('a device that joins gets them with the join-accept, and nothing more', async () => {
    const rig = await createRig();
    rig.server.configure({ netID, settings: { extraChannels: [extra], rx1Delay: 3, rx2DataRate: 2 } });
    const device = await rig.joined();
    const down = understood(device, await rig.exchange(device.uplink({ fPort: 1, confirmed: true })));
    assert.deepEqual(down && 'commands' in down && down.commands, []);
    const session = await rig.session();
    assert.deepEqual([session?.rxDelay, session?.rx2DataRate, session?.enabledChannels], [3, 2, [0, 1, 2, 3]]);
  });

  it('a disabled extra channel keeps its index and is not requested', async () => {
    const rig = await createRig();
    const other = { ...extra, frequency: 867_300_000 };
    rig.server.configure({ netID, settings: { extraChannels: [extra, other], enabledChannels: [0, 1, 2, 4] } });
    await rig.joined();
    const session = await rig.session();
    assert.deepEqual(
      session?.extraChannels.map(({ index, frequency }) => [index, frequency]),
      [[4, 867_300_000]],
    );
  });

  it('a join-accept under way keeps the parameters of its session', async () => {
    const rig = await createRig();
    const joinServer = { ...rig.joinServer };
    rig.joinServer.join = async (request) => {
      rig.server.configure({ netID, settings: { rx1Delay: 7, rx1DROffset: 3 } });
      return await joinServer.join(request);
    };
    await rig.joined();
    const session = await rig.session();
    assert.deepEqual([session?.rxDelay, session?.rx1DROffset], [1, 0]);
  });

  it('the next join has the new NetID', async () => {
    const rig = await createRig();
    rig.server.configure({ netID: '00003f', settings: {} });
    const device = await rig.joined();
    assert.match(device.session?.devAddr ?? '', /^7[ef]/);
  });

  it('only RX2 is used from the next frame on', async () => {
    const rig = await createRig();
    const device = await rig.joined();
    rig.server.configure({ netID, settings: { rxWindow: 'RX2' } });
    const frame = await rig.exchange(device.uplink({ fPort: 1, confirmed: true }));
    assert.deepEqual(
      frame?.items.map(({ txInfo }) => txInfo?.frequency),
      [869_525_000],
    );
  });

  it('power of downlinks', async () => {
    const rig = await createRig();
    const device = await rig.joined();
    rig.server.configure({ netID, settings: { downlinkTxPower: 5 } });
    const frame = await rig.exchange(device.uplink({ fPort: 1, confirmed: true }));
    assert.deepEqual(
      frame?.items.map(({ txInfo }) => txInfo?.power),
      [5, 5],
    );
  });

  it('ADR respects the limits of the network and its margin', async () => {
    for (const [settings, dataRate] of [
      [{}, 5],
      [{ adrMaxDR: 3 }, 3],
      [{ installationMargin: 27 }, 0],
    ] as const) {
      const rig = await createRig();
      const device = rig.sameDeviceAt(await rig.activated(), 0, { adr: true, dataRate: 0 });
      rig.server.configure({ netID, settings });
      for (let uplink = 0; uplink < 22; uplink++)
        understood(device, await rig.exchange(device.uplink({ fPort: 1, confirmed: true }), { snr: 8 }));
      assert.equal((await rig.session())?.dr, dataRate, JSON.stringify(settings));
    }
  });

  it('a device is received on a requested channel before it has answered', async () => {
    for (const macVersion of ['1.0.3', '1.1.0']) {
      const rig = await createRig({ macVersion });
      const device = await rig.joined();
      understood(device, await rig.exchange(device.uplink({ fPort: 1, confirmed: true })));
      for (let place = 0; place < 8; place++) {
        const frequency = 867_100_000 + place * 200_000;
        rig.server.configure({ netID, settings: { extraChannels: [{ ...extra, frequency }] } });
        for (let round = 0; round < 2; round++)
          understood(device, await rig.exchange(device.uplink({ fPort: 1, confirmed: true })));
        assert.equal(rig.counts.get('uplinks_dropped unknown-channel'), undefined, `${macVersion} ${frequency}`);
        assert.deepEqual(
          (await rig.session())?.extraChannels.map((channel) => channel.frequency),
          [frequency],
        );
      }
    }
  });

  it('uplinks of unregistered gateways are processed while that is allowed', async () => {
    const rig = await createRig();
    const device = await rig.joined();
    const stranger = { gatewayID: 'ffffffffffffffff' };
    await rig.exchange(device.uplink({ fPort: 1 }), stranger);
    assert.equal(rig.events().includes('up 0'), false);
    rig.server.configure({ netID, settings: { allowUnknownGateways: true } });
    await rig.exchange(device.uplink({ fPort: 1 }), stranger);
    assert.equal(rig.events().includes('up 1'), true);
  });

  it('copies are collected for the configured time', async () => {
    const rig = await createRig();
    const device = await rig.joined();
    rig.server.configure({ netID, settings: { deduplicationDelayMs: 600, rx1Delay: 3 } });
    await rig.receiveFrame(device.uplink({ fPort: 1 }));
    await rig.clock.advance(500);
    assert.equal(rig.events().includes('up 0'), false);
    await rig.clock.advance(200);
    assert.equal(rig.events().includes('up 0'), true);
  });

  it('as many frames are stored as configured', async () => {
    const rig = await createRig();
    const device = await rig.joined();
    rig.server.configure({ netID, settings: { frameLogHistory: 1 } });
    for (let frame = 0; frame < 3; frame++) await rig.exchange(device.uplink({ fPort: 1 }));
    const [stored] = await rig.deviceFrames(1);
    const last = device.uplink({ fPort: 1 });
    await rig.exchange(last);
    assert.deepEqual(stored?.uplinkFrameSet?.phyPayload.slice(6, 8), Uint8Array.of(2, 0));
  });
});

describe('the effects of other settings', () => {
  it('are counted by command, and nothing is changed', async () => {
    const rig = await createRig();
    await rig.joined();
    const settings = { rx2DataRate: 3, extraChannels: [extra], enabledChannels: [0, 1, 3] };
    assert.deepEqual(await rig.server.effectsOf({ netID, settings }), {
      devices: 1,
      isPartial: false,
      endingSessions: 0,
      commands: [
        { name: 'NewChannelReq', devices: 1, refusing: 0 },
        { name: 'LinkADRReq', devices: 1, refusing: 0 },
        { name: 'RXParamSetupReq', devices: 1, refusing: 0 },
      ],
    });
    assert.deepEqual((await rig.server.effectsOf({ netID, settings: {} })).commands, []);
  });

  it('count refusing devices separately', async () => {
    const rig = await createRig({ settings: { maxMACCommandErrorCount: 0 } });
    const device = await rig.joined({ adr: true });
    rig.server.configure({ netID, settings: { enabledChannels: [0, 1], maxMACCommandErrorCount: 0 } });
    await rig.exchange(device.uplink({ fPort: 1, confirmed: true }));
    await rig.exchange(rig.refusing(device, 1).uplink());
    const then = { netID, settings: { enabledChannels: [0], maxMACCommandErrorCount: 0 } };
    const { commands } = await rig.server.effectsOf(then);
    assert.deepEqual(commands, [{ name: 'LinkADRReq', devices: 1, refusing: 1 }]);
  });

  it('are empty where no command may be sent', async () => {
    const rig = await createRig();
    await rig.joined();
    const { commands } = await rig.server.effectsOf({ netID, settings: { rx1Delay: 9, disableMACCommands: true } });
    assert.deepEqual(commands, []);
  });
});
