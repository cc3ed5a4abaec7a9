import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { operations } from '@hilltop/contract';
import { cryptFRMPayload } from '@hilltop/lorawan';
import { createAuthority, type Identity } from '../testing/certificates.ts';
import { databases } from '../testing/databases.ts';
import { createOrganization, createServiceProfile } from '../testing/factories.ts';
import { createDevice, createMulticastGroup, createSurroundings, nwkKey } from '../testing/field.ts';
import { refused } from '../testing/refused.ts';
import { startRemoteNetworkServer, type TestRemoteNetworkServer } from '../testing/remote-network-server.ts';
import { startTestApp, type TestApp } from '../testing/test-app.ts';
import { watch } from '../testing/watch.ts';

const base64 = (hex: string) => Uint8Array.fromHex(hex.replaceAll('-', '')).toBase64();

for (const kind of databases)
  for (const transport of ['plain', 'TLS'] as const) {
    describe(`a remote network server over ${transport} on ${kind}`, () => {
      let remote: TestRemoteNetworkServer;
      let app: TestApp;
      let client: Identity | undefined;
      let id: string;

      before(async () => {
        const authority = transport === 'TLS' ? await createAuthority() : undefined;
        client = await authority?.issue('client');
        remote = await startRemoteNetworkServer(await authority?.issue('server'));
        app = await startTestApp(kind, { outgoingAllow: '127.0.0.1', grpcPublic: 'as.example.org:8001' });
        ({ id } = await register());
      });
      after(async () => {
        await app[Symbol.asyncDispose]();
        await remote[Symbol.asyncDispose]();
      });

      const own = (change: object = {}) => ({
        name: 'remote',
        server: `127.0.0.1:${remote.port}`,
        caCert: client?.ca ?? '',
        tlsCert: client?.cert ?? '',
        tlsKey: client?.key ?? '',
        routingProfileCACert: 'their CA',
        routingProfileTLSCert: 'their certificate',
        routingProfileTLSKey: 'their key',
        ...change,
      });
      const register = (change: object = {}) =>
        app.call(operations.networkServer.create, { networkServer: own(change) });
      const names = async () => {
        const { result } = await app.call(operations.networkServer.list, { limit: 100 });
        return result.map(({ name }) => name);
      };

      it('gets the routing profile of this server, and reports its version', async () => {
        const sent = remote.last('createRoutingProfile')['routingProfile'];
        assert.deepEqual(sent, {
          id: Buffer.from(app.parts.routingProfileID).toString('base64'),
          asId: 'as.example.org:8001',
          caCert: 'their CA',
          tlsCert: 'their certificate',
          tlsKey: 'their key',
        });
        const { networkServer, region, version } = await app.call(operations.networkServer.get, { id });
        assert.deepEqual([region, version], ['US915', '3.16.4']);
        assert.deepEqual([networkServer.tlsKey, networkServer.routingProfileTLSKey], ['', '']);
      });

      it('keeps its keys when they are left blank, and gets changed profiles', async () => {
        const { networkServer } = await app.call(operations.networkServer.get, { id });
        await app.call(operations.networkServer.update, {
          networkServer: { ...networkServer, name: 'renamed', routingProfileCACert: 'another CA' },
        });
        const sent = remote.last('updateRoutingProfile')['routingProfile'] as { caCert: string; tlsKey: string };
        assert.deepEqual([sent.caCert, sent.tlsKey], ['another CA', 'their key']);
        assert.equal((await app.call(operations.networkServer.get, { id })).version, '3.16.4');
        await app.call(operations.networkServer.update, { networkServer: own({ id }) });
      });

      it('is called when it is deleted, and is not deleted when it refuses', async () => {
        const made = await register({ name: 'short-lived' });
        remote.refuse('deleteRoutingProfile', 13, 'not now');
        await refused(13, app.call(operations.networkServer.delete, made));
        assert.ok((await names()).includes('short-lived'));
        remote.refuse('deleteRoutingProfile');
        await app.call(operations.networkServer.delete, made);
        assert.equal(
          remote.last('deleteRoutingProfile')['id'],
          Buffer.from(app.parts.routingProfileID).toString('base64'),
        );
        assert.ok(!(await names()).includes('short-lived'));
      });

      it('gets profiles, gateways and devices', async () => {
        const organizationID = await createOrganization(app);
        const surroundings = await createSurroundings(
          app,
          { networkServerID: id, supportsClassC: true },
          {
            networkServerID: id,
            organizationID,
            drMax: 4,
          },
        );
        const { serviceProfileID, deviceProfileID } = surroundings;
        const service = remote.last('createServiceProfile')['serviceProfile'] as Record<string, unknown>;
        assert.deepEqual(
          [service['id'], service['drMax'], service['addGwMetadata']],
          [base64(serviceProfileID), 4, true],
        );
        const profile = remote.last('createDeviceProfile')['deviceProfile'] as Record<string, unknown>;
        assert.deepEqual(
          [profile['id'], profile['macVersion'], profile['supportsJoin'], profile['supportsClassC']],
          [base64(deviceProfileID), '1.0.3', true, true],
        );

        const devEUI = await createDevice(app, surroundings, { skipFCntCheck: true, referenceAltitude: 12.5 });
        assert.deepEqual(remote.last('createDevice')['device'], {
          devEui: base64(devEUI),
          deviceProfileId: base64(deviceProfileID),
          serviceProfileId: base64(serviceProfileID),
          routingProfileId: Buffer.from(app.parts.routingProfileID).toString('base64'),
          skipFCntCheck: true,
          referenceAltitude: 12.5,
          isDisabled: false,
        });
        const { device } = await app.call(operations.device.get, { devEUI });
        assert.deepEqual([device.skipFCntCheck, device.referenceAltitude], [true, 12.5]);

        const simulated = { devEUI, fPort: 1, dr: 0 };
        assert.match((await refused(9, app.call(operations.simulatedUplink.send, simulated))).message, /remote/);

        const gatewayID = 'b827ebfffe11223a';
        const location = { latitude: 52.1, longitude: 5.2, altitude: 3, source: 'GPS' as const };
        await app.call(operations.gateway.create, {
          gateway: { id: gatewayID, name: 'roof', organizationID, networkServerID: id, location, serviceProfileID },
        });
        const gateway = remote.last('createGateway')['gateway'] as Record<string, unknown>;
        assert.deepEqual([gateway['id'], gateway['serviceProfileId']], [base64(gatewayID), base64(serviceProfileID)]);
        assert.deepEqual(gateway['location'], { ...location, source: 1, accuracy: 0 });

        remote.refuse('deleteDevice', 5, 'unknown');
        await app.call(operations.device.delete, { devEUI });
        remote.refuse('deleteDevice');
        await refused(5, app.call(operations.device.get, { devEUI }));
      });

      it('gets a restored device with its session, and a gateway in place of another', async () => {
        const surroundings = await createSurroundings(app, { networkServerID: id }, { networkServerID: id });
        const { organizationID, applicationID } = surroundings;
        const devEUI = await createDevice(app, surroundings, { skipFCntCheck: true });
        const keys = { appSKey: nwkKey, nwkSEncKey: nwkKey, sNwkSIntKey: nwkKey, fNwkSIntKey: nwkKey };
        const counters = { fCntUp: 20, nFCntDown: 7, aFCntDown: 3 };
        const deviceActivation = { devEUI, devAddr: '01020304', ...keys, ...counters };
        await app.call(operations.device.activate, { deviceActivation });
        for (const remove of [
          () => app.call(operations.device.delete, { devEUI }),
          () => app.call(operations.application.delete, { id: applicationID }),
        ]) {
          const before = await app.call(operations.device.getActivation, { devEUI });
          await remove();
          const { result } = await app.call(operations.trash.list, { organizationID, limit: 1 });
          const { refused: none } = await app.call(operations.trash.restore, { id: result[0]!.id });
          assert.deepEqual(none, []);
          const created = remote.last('createDevice')['device'] as { devEui: string; skipFCntCheck: boolean };
          assert.deepEqual([created.devEui, created.skipFCntCheck], [base64(devEUI), true]);
          const { nFCntDown, aFCntDown, ...rest } = before.deviceActivation!;
          assert.deepEqual((await app.call(operations.device.getActivation, { devEUI })).deviceActivation, {
            ...rest,
            nFCntDown: nFCntDown + 100,
            aFCntDown: aFCntDown + 100,
          });
        }

        const [gatewayID, newGatewayID] = ['b827ebfffe112240', 'b827ebfffe112241'];
        const location = { latitude: 52.1, longitude: 5.2, altitude: 3, source: 'GPS' as const };
        const gateway = { id: gatewayID, name: 'roof', organizationID, networkServerID: id, location };
        await app.call(operations.gateway.create, { gateway });
        await app.call(operations.gatewayReplacement.create, { gatewayID, newGatewayID });
        const replacing = remote.last('createGateway')['gateway'] as { id: string; location: object };
        assert.deepEqual(
          [replacing.id, replacing.location],
          [base64(newGatewayID), { ...location, source: 1, accuracy: 0 }],
        );
        assert.equal(remote.last('deleteGateway')['id'], base64(gatewayID));
      });

      it('rolls back local changes when it refuses, and passes the reason on', async () => {
        const organizationID = await createOrganization(app);
        const count = async () =>
          (await app.call(operations.serviceProfile.list, { organizationID, limit: 10 })).totalCount;
        remote.refuse('createServiceProfile', 3, 'the data-rate is too high');
        const refusal = await refused(3, createServiceProfile(app, { organizationID, networkServerID: id }));
        assert.match(refusal.message, /^the data-rate is too high/);
        assert.equal(await count(), '0');
        // Its "unauthenticated" concerns this server and not the caller of the API.
        remote.refuse('createServiceProfile', 16, 'who are you');
        await refused(7, createServiceProfile(app, { organizationID, networkServerID: id }));
        remote.refuse('createServiceProfile');
        await createServiceProfile(app, { organizationID, networkServerID: id });
        assert.equal(await count(), '1');
      });

      it('is not called when this server refuses the request', async () => {
        const before = remote.arrivals.length;
        await refused(5, createServiceProfile(app, { organizationID: '999999', networkServerID: id }));
        assert.equal(remote.arrivals.length, before);
      });

      it('does not delay other calls when it is slow', async () => {
        const organizationID = await createOrganization(app);
        const arrived = remote.hold('createServiceProfile');
        const creating = createServiceProfile(app, { organizationID, networkServerID: id });
        const letGo = await arrived;
        await createOrganization(app);
        letGo();
        const profileID = await creating;
        assert.equal(remote.last('createServiceProfile')['serviceProfile']!['id' as never], base64(profileID));
      });

      it('gets queued downlinks that are encrypted already', async () => {
        const surroundings = await createSurroundings(app, { networkServerID: id }, { networkServerID: id });
        const devEUI = await createDevice(app, surroundings);
        const appSKey = '00112233445566778899aabbccddeeff';
        const keys = { appSKey, nwkSEncKey: appSKey, sNwkSIntKey: appSKey, fNwkSIntKey: appSKey };
        await app.call(operations.device.activate, { deviceActivation: { devEUI, devAddr: '01020304', ...keys } });
        const { fCnt } = await app.call(operations.deviceQueue.enqueue, {
          deviceQueueItem: { devEUI, fPort: 3, data: 'AQID', confirmed: true },
        });
        assert.equal(fCnt, 7);
        const address = { devAddr: '01020304', fCnt: 7, direction: 'down' } as const;
        const sealed = cryptFRMPayload(Uint8Array.fromHex(appSKey), address, Uint8Array.of(1, 2, 3));
        const item = remote.last('createDeviceQueueItem')['item'] as Record<string, unknown>;
        assert.deepEqual([item['frmPayload'], item['fPort'], item['confirmed']], [sealed.toBase64(), 3, true]);

        const more = await Promise.all(
          [1, 2, 3].map((fPort) =>
            app.call(operations.deviceQueue.enqueue, { deviceQueueItem: { devEUI, fPort, data: 'AQID' } }),
          ),
        );
        assert.deepEqual(new Set(more.map((one) => one.fCnt)), new Set([8, 9, 10]));
      });

      it('gets multicast-groups, their devices and encrypted downlinks', async () => {
        const surroundings = await createSurroundings(app, { networkServerID: id }, { networkServerID: id });
        const { applicationID, serviceProfileID } = surroundings;
        const mcAppSKey = '00112233445566778899aabbccddeeff';
        const given = { applicationID, mcAddr: '01020304', mcAppSKey, fCnt: 4, groupType: 'CLASS_B', dr: 3 } as const;
        const groupID = await createMulticastGroup(app, { ...given, pingSlotPeriod: 64 });
        const sent = remote.last('createMulticastGroup')['multicastGroup'];
        assert.deepEqual(sent, {
          id: base64(groupID),
          mcAddr: base64('01020304'),
          mcNwkSKey: base64(nwkKey),
          fCnt: 4,
          groupType: 1,
          dr: 3,
          frequency: 869_525_000,
          pingSlotPeriod: 64,
          serviceProfileId: base64(serviceProfileID),
          routingProfileId: Buffer.from(app.parts.routingProfileID).toString('base64'),
        });
        const devEUI = await createDevice(app, surroundings);
        const member = { multicastGroupID: groupID, devEUI };
        await app.call(operations.multicastGroup.addDevice, member);
        assert.deepEqual(remote.last('addDeviceToMulticastGroup'), {
          devEui: base64(devEUI),
          multicastGroupId: base64(groupID),
        });
        const item = { multicastGroupID: groupID, fPort: 3, data: 'AQID' };
        const { fCnt } = await app.call(operations.multicastGroup.enqueue, { multicastQueueItem: item });
        assert.equal(fCnt, 4);
        const address = { devAddr: '01020304', fCnt: 4, direction: 'down' } as const;
        const sealed = cryptFRMPayload(Uint8Array.fromHex(mcAppSKey), address, Uint8Array.of(1, 2, 3));
        assert.deepEqual(remote.last('enqueueMulticastQueueItem')['multicastQueueItem'], {
          multicastGroupId: base64(groupID),
          fCnt: 4,
          fPort: 3,
          frmPayload: sealed.toBase64(),
        });
        remote.refuse('addDeviceToMulticastGroup', 14, 'away');
        const other = await createDevice(app, surroundings);
        await refused(14, app.call(operations.multicastGroup.addDevice, { ...member, devEUI: other }));
        remote.refuse('addDeviceToMulticastGroup');
        const { totalCount } = await app.call(operations.device.list, { multicastGroupID: groupID });
        assert.equal(totalCount, '1', 'who the network-server refused is in no list');
        await app.call(operations.multicastGroup.flushQueue, { multicastGroupID: groupID });
        await app.call(operations.multicastGroup.removeDevice, member);
        await app.call(operations.multicastGroup.delete, { id: groupID });
        const methods = [
          'flushMulticastQueueForMulticastGroup',
          'removeDeviceFromMulticastGroup',
          'deleteMulticastGroup',
        ];
        // The audit log reads the record before it is deleted.
        const changing = remote.arrivals.filter(({ method }) => !method.startsWith('get'));
        assert.deepEqual(
          changing.slice(-3).map(({ method }) => method),
          methods,
        );
      });

      it('shows its frames live, and ends the stream when no viewer is left', async () => {
        const surroundings = await createSurroundings(app, { networkServerID: id }, { networkServerID: id });
        const devEUI = await createDevice(app, surroundings);
        {
          await using frames = await watch(app.url, `/api/devices/${devEUI}/frames`, app.adminToken);
          const { result } = await frames.next();
          assert.match(result!.uplinkFrame!.phyPayloadJSON, /"devAddr":"01234567"/);
          assert.equal(remote.streams.size, 1);
        }
        while (remote.streams.size > 0) await new Promise((resolve) => setImmediate(resolve));
      });

      it('is refused when it cannot be reached, and nothing is stored', async () => {
        const cases: [object, number, RegExp][] = [
          [{ server: '127.0.0.1:1' }, 14, /cannot be reached: nothing listens there/],
          [{ server: 'nowhere.invalid:8000' }, 14, /The name nowhere\.invalid is not known/],
          [{ server: 'nonsense' }, 3, /must be a host with a port/],
          [{ server: '10.0.0.1:8000' }, 9, /HILLTOP_OUTGOING_ALLOW/],
          [{ caCert: 'nonsense', tlsCert: '', tlsKey: '' }, 3, /not valid PEM/],
        ];
        for (const [change, code, says] of cases)
          assert.match((await refused(code, register({ name: 'never', ...change }))).message, says);
        assert.ok(!(await names()).includes('never'));
      });

      it('is refused when certificates do not fit', async () => {
        const other = await createAuthority('Another CA');
        const stranger = await other.issue('client');
        const { ca, cert, key } = stranger;
        const cases: [object, RegExp][] =
          transport === 'plain'
            ? [[{ caCert: ca }, /it does not speak TLS/]]
            : [
                [{ caCert: ca }, /certificate is not of the given CA/],
                [{ tlsCert: '', tlsKey: '' }, /asks for a client certificate|hung up/],
                [{ tlsCert: cert, tlsKey: key }, /client certificate/],
                [{ caCert: '', tlsCert: '', tlsKey: '' }, /hung up/],
              ];
        for (const [change, says] of cases)
          assert.match((await refused(14, register({ name: 'never', ...change }))).message, says);
        assert.ok(!(await names()).includes('never'));
        const mixed = {
          name: 'never',
          caCert: ca,
          tlsCert: client?.cert ?? cert,
          tlsKey: (await other.issue('client')).key,
        };
        assert.match((await refused(3, register(mixed))).message, /not the one the TLS certificate was made for/);
      });

      it('is shown without region and version while it does not answer, and works again afterwards', async () => {
        const gone = await startRemoteNetworkServer();
        const plain = { caCert: '', tlsCert: '', tlsKey: '', server: `127.0.0.1:${gone.port}` };
        const made = await register({ name: 'away', ...plain });
        await gone[Symbol.asyncDispose]();
        const { networkServer, region, version } = await app.call(operations.networkServer.get, made);
        assert.deepEqual([networkServer.name, region, version], ['away', '', '']);
        await refused(
          14,
          app.call(operations.networkServer.update, { networkServer: { ...networkServer, name: 'lost' } }),
        );
        assert.ok(!(await names()).includes('lost'));
        await refused(14, app.call(operations.networkServer.delete, made));
        // Its row can be changed to its new address.
        const { server, caCert, tlsCert, tlsKey } = own();
        await app.call(operations.networkServer.update, {
          networkServer: { ...networkServer, server, caCert, tlsCert, tlsKey },
        });
        assert.equal((await app.call(operations.networkServer.get, made)).version, '3.16.4');
      });
    });
  }
