import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { create, Empty, ns, RpcError, Status } from './index.ts';

/** Three of the fifty methods: enough to verify the derived types. */
const small: Pick<ns.NetworkServerService, 'getVersion' | 'createServiceProfile' | 'streamFrameLogsForDevice'> = {
  getVersion: async () => create(ns.GetVersionResponse, { version: '1', region: 'US915' }),
  createServiceProfile: async ({ serviceProfile }) => {
    if (!serviceProfile) throw new RpcError('InvalidArgument', 'service-profile must be given');
    return { id: serviceProfile.id };
  },
  async *streamFrameLogsForDevice({ devEui }, signal) {
    if (!signal.aborted) yield { uplinkFrameSet: create(ns.UplinkFrameLog, { devEui }) };
  },
};

describe('services', () => {
  it('are objects of methods with the types of their messages', async () => {
    assert.deepEqual(await small.getVersion(create(Empty)), { version: '1', region: 'US915' });
    const frames = small.streamFrameLogsForDevice({ devEui: Uint8Array.of(1) }, new AbortController().signal);
    for await (const { uplinkFrameSet, downlinkFrame } of frames) {
      assert.deepEqual(uplinkFrameSet?.devEui, Uint8Array.of(1));
      assert.equal(downlinkFrame, undefined);
    }
  });

  it('refuse with a status and its gRPC number', async () => {
    await assert.rejects(small.createServiceProfile(create(ns.CreateServiceProfileRequest)), {
      name: 'RpcError',
      code: 'InvalidArgument',
      number: 3,
    });
    assert.equal(Status.Unauthenticated, 16);
  });
});

describe('create', () => {
  it('fills sub-messages given in part and copies lists and maps', () => {
    const extraChannels = [{ frequency: 867_100_000, spreadingFactors: [7] }];
    const profile = create(ns.GatewayProfile, { extraChannels, statsInterval: 30_000 });
    assert.deepEqual(profile, {
      id: new Uint8Array(),
      channels: [],
      extraChannels: [{ modulation: 'LORA', frequency: 867_100_000, bandwidth: 0, bitrate: 0, spreadingFactors: [7] }],
      statsInterval: 30_000,
    });
    profile.extraChannels[0]?.spreadingFactors.push(8);
    assert.deepEqual(extraChannels[0]?.spreadingFactors, [7]);
  });
});
