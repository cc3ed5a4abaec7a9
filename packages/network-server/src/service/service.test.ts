import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { create, ns } from '@hilltop/protobuf';
import { createRig, devEUI, gatewayIDs } from '../testing/rig.ts';

const devEui = Uint8Array.fromHex(devEUI);
const unknown = new Uint8Array(16).fill(0xee);

describe('ns service', () => {
  it('stores profiles as given', async () => {
    const { server } = await createRig();
    const { service } = server;
    const serviceProfile = create(ns.ServiceProfile, { drMax: 3, ulRatePolicy: 'MARK', channelMask: Uint8Array.of(1) });
    const { id } = await service.createServiceProfile({ serviceProfile });
    assert.deepEqual((await service.getServiceProfile({ id })).serviceProfile, { ...serviceProfile, id });
    await service.updateServiceProfile({ serviceProfile: { ...serviceProfile, id, drMax: 4 } });
    assert.equal((await service.getServiceProfile({ id })).serviceProfile?.drMax, 4);
    await service.deleteServiceProfile({ id });
    await assert.rejects(service.getServiceProfile({ id }), { code: 'NotFound' });

    const deviceProfile = create(ns.DeviceProfile, { macVersion: '1.0.3', factoryPresetFreqs: [868_100_000] });
    const made = await service.createDeviceProfile({ deviceProfile });
    assert.deepEqual((await service.getDeviceProfile({ id: made.id })).deviceProfile, {
      ...deviceProfile,
      id: made.id,
      rfRegion: 'EU868',
    });

    const gatewayProfile = create(ns.GatewayProfile, { channels: [0, 1], statsInterval: 30_000 });
    const third = await service.createGatewayProfile({ gatewayProfile });
    assert.deepEqual((await service.getGatewayProfile({ id: third.id })).gatewayProfile, {
      ...gatewayProfile,
      id: third.id,
    });

    const routingProfile = create(ns.RoutingProfile, { asId: 'localhost:8001', tlsKey: 'secret' });
    const fourth = await service.createRoutingProfile({ routingProfile });
    const { routingProfile: read } = await service.getRoutingProfile({ id: fourth.id });
    assert.deepEqual([read?.asId, read?.tlsKey], ['localhost:8001', '']);
  });

  const refusals: { title: string; code: string; call: (service: ns.NetworkServerService) => Promise<unknown> }[] = [
    {
      title: 'an unknown profile',
      code: 'NotFound',
      call: (service) => service.getDeviceProfile({ id: unknown }),
    },
    {
      title: 'a profile that is missing',
      code: 'InvalidArgument',
      call: (service) => service.createDeviceProfile({ deviceProfile: null }),
    },
    {
      title: 'a profile id of the wrong length',
      code: 'InvalidArgument',
      call: (service) => service.getServiceProfile({ id: Uint8Array.of(1) }),
    },
    {
      title: 'a device with an unknown profile',
      code: 'NotFound',
      call: (service) =>
        service.createDevice({
          device: create(ns.Device, {
            devEui: new Uint8Array(8),
            deviceProfileId: unknown,
            serviceProfileId: unknown,
            routingProfileId: unknown,
          }),
        }),
    },
    {
      title: 'an unknown device',
      code: 'NotFound',
      call: (service) => service.deleteDevice({ devEui: new Uint8Array(8) }),
    },
    {
      title: 'a gateway that exists',
      code: 'AlreadyExists',
      call: (service) =>
        service.createGateway({
          gateway: create(ns.Gateway, {
            id: Uint8Array.fromHex(gatewayIDs[0]),
            location: {},
            routingProfileId: new Uint8Array(16).fill(3),
          }),
        }),
    },
    {
      title: 'a gateway without location',
      code: 'InvalidArgument',
      call: (service) =>
        service.createGateway({
          gateway: create(ns.Gateway, { id: new Uint8Array(8), routingProfileId: new Uint8Array(16).fill(3) }),
        }),
    },
    {
      title: 'an activation nobody made',
      code: 'NotFound',
      call: (service) => service.getDeviceActivation({ devEui }),
    },
    {
      title: 'an activation with a short key',
      code: 'InvalidArgument',
      call: (service) =>
        service.activateDevice({
          deviceActivation: create(ns.DeviceActivation, { devEui, devAddr: new Uint8Array(4) }),
        }),
    },
    {
      title: 'deactivating what is not active',
      code: 'NotFound',
      call: (service) => service.deactivateDevice({ devEui }),
    },
    {
      title: 'a multicast-group with a short key',
      code: 'InvalidArgument',
      call: (service) =>
        service.createMulticastGroup({
          multicastGroup: create(ns.MulticastGroup, {
            mcAddr: new Uint8Array(4),
            mcNwkSKey: new Uint8Array(15),
            frequency: 868_100_000,
            serviceProfileId: new Uint8Array(16).fill(2),
            routingProfileId: new Uint8Array(16).fill(3),
          }),
        }),
    },
    {
      title: 'a device of another service-profile in a multicast-group',
      code: 'FailedPrecondition',
      call: async (service) => {
        const { id: serviceProfileId } = await service.createServiceProfile({
          serviceProfile: create(ns.ServiceProfile, {}),
        });
        const { id: multicastGroupId } = await service.createMulticastGroup({
          multicastGroup: create(ns.MulticastGroup, {
            mcAddr: new Uint8Array(4),
            mcNwkSKey: new Uint8Array(16),
            frequency: 868_100_000,
            serviceProfileId,
            routingProfileId: new Uint8Array(16).fill(3),
          }),
        });
        await service.addDeviceToMulticastGroup({ devEui, multicastGroupId });
      },
    },
    {
      title: 'an unknown multicast-group',
      code: 'NotFound',
      call: (service) => service.deleteMulticastGroup({ id: unknown }),
    },
  ];
  for (const { title, code, call } of refusals) {
    it(`refuses ${title}`, async () => {
      const { server } = await createRig();
      await assert.rejects(call(server.service), { name: 'RpcError', code });
    });
  }

  it('activates, reports and deactivates a device, and flushes its queue', async () => {
    const rig = await createRig({ device: { skipFCntCheck: true } });
    const { service } = rig.server;
    await rig.activated({ fCntUp: 7, nFCntDown: 9 });
    await rig.enqueue('old');
    await rig.activated({ fCntUp: 8, nFCntDown: 20 });
    assert.equal((await service.getDeviceQueueItemsForDevEUI({ devEui, countOnly: true })).totalCount, 0);
    const { deviceActivation } = await service.getDeviceActivation({ devEui });
    assert.deepEqual(
      [deviceActivation?.fCntUp, deviceActivation?.nFCntDown, deviceActivation?.skipFCntCheck],
      [8, 20, true],
    );
    assert.equal(await rig.enqueue('a'), 20);
    assert.equal(await rig.enqueue('b', { confirmed: true }), 21);
    const { items, totalCount } = await service.getDeviceQueueItemsForDevEUI({ devEui, countOnly: false });
    assert.deepEqual(
      items.map(({ fCnt, confirmed }) => [fCnt, confirmed]),
      [
        [20, false],
        [21, true],
      ],
    );
    assert.equal(totalCount, 2);
    await service.flushDeviceQueueForDevEUI({ devEui });
    await service.deactivateDevice({ devEui });
    await assert.rejects(service.getNextDownlinkFCntForDevEUI({ devEui }), { code: 'NotFound' });
  });

  it('uses the radio parameters of the device-profile after an activation', async () => {
    const profile = {
      rxDelay1: 2,
      rxDrOffset1: 1,
      rxDatarate2: 3,
      rxFreq2: 869_100_000,
      factoryPresetFreqs: [867_100_000],
    };
    const rig = await createRig({ deviceProfile: profile });
    await rig.activated();
    const session = await rig.session();
    assert.deepEqual(
      [session?.rxDelay, session?.rx1DROffset, session?.rx2DataRate, session?.rx2Frequency],
      [2, 1, 3, 869_100_000],
    );
    assert.deepEqual(session?.extraChannels, [{ index: 3, frequency: 867_100_000, minDR: 0, maxDR: 5 }]);
  });

  it('keeps the routing-profile of a gateway when an update omits it', async () => {
    const { server } = await createRig();
    const id = Uint8Array.fromHex(gatewayIDs[0]);
    await server.service.updateGateway({ gateway: create(ns.Gateway, { id, location: { latitude: 4 } }) });
    const { gateway } = await server.service.getGateway({ id });
    assert.equal(gateway?.routingProfileId.toHex(), '03'.repeat(16));
    assert.equal(gateway?.location?.latitude, 4);
  });

  it('returns its region and its ADR algorithms', async () => {
    const { server } = await createRig({ region: 'US915' });
    assert.equal((await server.service.getVersion({})).region, 'US915');
    const { adrAlgorithms } = await server.service.getADRAlgorithms({});
    assert.deepEqual(
      adrAlgorithms.map(({ id }) => id),
      ['default', 'lr_fhss', 'lora_lr_fhss'],
    );
  });
});
