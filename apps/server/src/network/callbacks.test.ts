import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import pb from '@chirpstack/chirpstack-api/as/as_pb.js';
import common from '@chirpstack/chirpstack-api/common/common_pb.js';
import gw from '@chirpstack/chirpstack-api/gw/gw_pb.js';
import { operations } from '@hilltop/contract';
import { cryptFRMPayload } from '@hilltop/lorawan';
import { pino } from 'pino';
import { createAuthority, type Identity } from '../testing/certificates.ts';
import { databases } from '../testing/databases.ts';
import { createDevice, createGateway, createSurroundings } from '../testing/field.ts';
import { type RemoteCalls, remoteCalls } from '../testing/remote-calls.ts';
import { startRemoteNetworkServer, type TestRemoteNetworkServer } from '../testing/remote-network-server.ts';
import { startTestApp, type TestApp } from '../testing/test-app.ts';
import { watch } from '../testing/watch.ts';

const appSKey = Uint8Array.fromHex('00112233445566778899aabbccddeeff');
const bytes = (hex: string) => Uint8Array.fromHex(hex);

for (const kind of databases)
  for (const transport of ['plain', 'TLS'] as const) {
    describe(`calls of a remote network server over ${transport} on ${kind}`, () => {
      let dir: string;
      let remote: TestRemoteNetworkServer;
      let app: TestApp;
      let calls: RemoteCalls;
      let identity: Identity | undefined;
      let id: string;
      let devEUI: string;
      let organizationID: string;
      const warnings: { msg: string; method?: string; devEUI?: string }[] = [];
      const log = pino({ level: 'warn' }, { write: (line) => void warnings.push(JSON.parse(line) as { msg: string }) });

      before(async () => {
        dir = await mkdtemp(join(tmpdir(), 'hilltop-callbacks-'));
        const authority = transport === 'TLS' ? await createAuthority() : undefined;
        const own = await authority?.issue('server');
        identity = await authority?.issue('client');
        const file = async (name: string, text: string | undefined) => {
          if (text === undefined) return '';
          await writeFile(join(dir, name), text);
          return join(dir, name);
        };
        const files = {
          grpcCA: await file('ca.pem', own?.ca),
          grpcCert: await file('cert.pem', own?.cert),
          grpcKey: await file('key.pem', own?.key),
        };
        remote = await startRemoteNetworkServer();
        app = await startTestApp(kind, { outgoingAllow: '127.0.0.1', grpc: '127.0.0.1:0', ...files }, { log });
        calls = remoteCalls(app.grpcPort, identity);
        ({ id } = await app.call(operations.networkServer.create, {
          networkServer: { name: 'remote', server: `127.0.0.1:${remote.port}` },
        }));
        const on = { networkServerID: id };
        const surroundings = await createSurroundings(app, { ...on, payloadCodec: 'CAYENNE_LPP' }, on);
        ({ organizationID } = surroundings);
        devEUI = await createDevice(app, surroundings);
      });
      after(async () => {
        calls[Symbol.dispose]();
        await app[Symbol.asyncDispose]();
        await remote[Symbol.asyncDispose]();
        await rm(dir, { recursive: true });
      });

      const eventsOf = () => watch(app.url, `/api/devices/${devEUI}/events`, app.adminToken);
      type Watch = Awaited<ReturnType<typeof eventsOf>>;
      /** The next event of a type; the history repeats those of earlier tests. */
      async function next(events: Watch, type: string): Promise<Record<string, unknown>> {
        for (;;) {
          const { result } = await events.next();
          if (result?.type === type) return JSON.parse(result.payloadJSON) as Record<string, unknown>;
        }
      }

      function uplink(fCnt: number, data: Uint8Array) {
        const request = new pb.HandleUplinkDataRequest();
        request.setDevEui(bytes(devEUI));
        request.setFCnt(fCnt);
        request.setFPort(2);
        request.setDr(3);
        request.setAdr(true);
        request.setConfirmedUplink(true);
        request.setData(cryptFRMPayload(appSKey, { devAddr: '01020304', fCnt, direction: 'up' }, data));
        const txInfo = new gw.UplinkTXInfo();
        txInfo.setFrequency(868_100_000);
        request.setTxInfo(txInfo);
        const rxInfo = new gw.UplinkRXInfo();
        rxInfo.setGatewayId(bytes('b827ebfffe112233'));
        rxInfo.setRssi(-61);
        rxInfo.setLoraSnr(7.5);
        request.setRxInfoList([rxInfo]);
        return request;
      }

      function withActivation(request: ReturnType<typeof uplink>, key: Uint8Array, kekLabel = '') {
        const envelope = new common.KeyEnvelope();
        envelope.setAesKey(key);
        envelope.setKekLabel(kekLabel);
        const context = new pb.DeviceActivationContext();
        context.setDevAddr(bytes('01020304'));
        context.setAppSKey(envelope);
        request.setDeviceActivationContext(context);
        return request;
      }

      it('an uplink with an activation becomes a join and an up event', async () => {
        await using events = await eventsOf();
        await calls.call('handleUplinkData', withActivation(uplink(0, Uint8Array.of(1, 103, 0, 225)), appSKey));
        assert.equal((await next(events, 'join'))['devAddr'], bytes('01020304').toBase64());
        const up = await next(events, 'up');
        assert.equal(up['objectJSON'], '{"temperatureSensor":{"1":22.5}}');
        assert.deepEqual([up['fCnt'], up['fPort'], up['dr'], up['confirmedUplink']], [0, 2, 3, true]);
        const [received] = up['rxInfo'] as { gatewayID: string; rssi: number; loRaSNR: number }[];
        assert.deepEqual(
          [received?.gatewayID, received?.rssi, received?.loRaSNR],
          [bytes('b827ebfffe112233').toBase64(), -61, 7.5],
        );
        await calls.call('handleUplinkData', uplink(1, Uint8Array.of(1, 103, 0, 1)));
        assert.equal((await next(events, 'up'))['fCnt'], 1);
      });

      it('an uplink whose AppSKey cannot be unwrapped is refused', async () => {
        const wrapped = withActivation(uplink(2, Uint8Array.of(1)), appSKey, 'theirs');
        await assert.rejects(calls.call('handleUplinkData', wrapped), {
          code: 13,
          details: /key-encryption key "theirs"/,
        });
      });

      it('errors, acknowledgements, transmissions, status and location become events', async () => {
        await using events = await eventsOf();
        const error = new pb.HandleErrorRequest();
        error.setDevEui(bytes(devEUI));
        error.setType(pb.ErrorType.DATA_UP_MIC);
        error.setError('MIC does not fit');
        error.setFCnt(4);
        await calls.call('handleError', error);
        const { type, error: text, fCnt } = await next(events, 'error');
        assert.deepEqual([type, text, fCnt], ['UPLINK_MIC', 'MIC does not fit', 4]);

        const ack = new pb.HandleDownlinkACKRequest();
        ack.setDevEui(bytes(devEUI));
        ack.setFCnt(7);
        ack.setAcknowledged(true);
        await calls.call('handleDownlinkACK', ack);
        const acknowledged = await next(events, 'ack');
        assert.deepEqual([acknowledged['fCnt'], acknowledged['acknowledged']], [7, true]);

        const txAck = new pb.HandleTxAckRequest();
        txAck.setDevEui(bytes(devEUI));
        txAck.setFCnt(8);
        txAck.setGatewayId(bytes('b827ebfffe112233'));
        await calls.call('handleTxAck', txAck);
        assert.equal((await next(events, 'txack'))['gatewayID'], bytes('b827ebfffe112233').toBase64());

        const status = new pb.SetDeviceStatusRequest();
        status.setDevEui(bytes(devEUI));
        status.setMargin(-5);
        status.setBatteryLevel(75.589);
        await calls.call('setDeviceStatus', status);
        const statusEvent = await next(events, 'status');
        assert.deepEqual([statusEvent['margin'], statusEvent['batteryLevel']], [-5, 75.59]);
        const device = await app.call(operations.device.get, { devEUI });
        assert.deepEqual([device.deviceStatusMargin, device.deviceStatusBattery], [-5, 75]);

        const place = new common.Location();
        place.setLatitude(52.5);
        const location = new pb.SetDeviceLocationRequest();
        location.setDevEui(bytes(devEUI));
        location.setLocation(place);
        await calls.call('setDeviceLocation', location);
        assert.equal(((await next(events, 'location'))['location'] as { latitude: number }).latitude, 52.5);
      });

      it('queued downlinks are encrypted for other frame counters', async () => {
        const address = { devAddr: '01020304', direction: 'down' } as const;
        const item = new pb.ReEncryptDeviceQueueItem();
        item.setFrmPayload(cryptFRMPayload(appSKey, { ...address, fCnt: 3 }, Uint8Array.of(9, 8)));
        item.setFCnt(3);
        const request = new pb.ReEncryptDeviceQueueItemsRequest();
        request.setDevEui(bytes(devEUI));
        request.setDevAddr(bytes('01020304'));
        request.setFCntStart(20);
        request.setItemsList([item]);
        const answer = (await calls.call('reEncryptDeviceQueueItems', request)) as InstanceType<
          typeof pb.ReEncryptDeviceQueueItemsResponse
        >;
        const [again] = answer.getItemsList();
        assert.equal(again?.getFCnt(), 20);
        const expected = cryptFRMPayload(appSKey, { ...address, fCnt: 20 }, Uint8Array.of(9, 8));
        assert.equal(again.getFrmPayload_asU8().toHex(), expected.toHex());
      });

      it('a gateway report updates last seen and statistics', async () => {
        const gatewayID = 'b827ebfffe1122aa';
        const location = { latitude: 1, longitude: 2, altitude: 3 };
        await app.call(operations.gateway.create, {
          gateway: { id: gatewayID, name: 'mast', organizationID, networkServerID: id, location },
        });
        const stats = new pb.HandleGatewayStatsRequest();
        stats.setGatewayId(bytes(gatewayID));
        stats.setRxPacketsReceived(5);
        stats.getMetadataMap().set('region', 'north');
        stats.getRxPacketsPerFrequencyMap().set(868_100_000, 5);
        await calls.call('handleGatewayStats', stats);
        const { gateway, lastSeenAt } = await app.call(operations.gateway.get, { id: gatewayID });
        assert.notEqual(lastSeenAt, null);
        assert.deepEqual(gateway.metadata, { region: 'north' });
      });

      it('calls about unknown records or records of an embedded network server are refused', async () => {
        const surroundings = await createSurroundings(app);
        const embedded = await createDevice(app, surroundings);
        for (const eui of [embedded, '0000000000000000']) {
          const request = uplink(0, Uint8Array.of(1));
          request.setDevEui(bytes(eui));
          await assert.rejects(calls.call('handleUplinkData', withActivation(request, appSKey)), { code: 13 });
          const status = new pb.SetDeviceStatusRequest();
          status.setDevEui(bytes(eui));
          await assert.rejects(calls.call('setDeviceStatus', status), { code: 5 });
        }
        const stats = new pb.HandleGatewayStatsRequest();
        stats.setGatewayId(bytes(await createGateway(app, surroundings.organizationID)));
        await assert.rejects(calls.call('handleGatewayStats', stats), { code: 5 });
        const { lastSeenAt } = await app.call(operations.device.get, { devEUI: embedded });
        assert.equal(lastSeenAt, null);
        const metrics = await app.parts.metrics.text();
        assert.match(metrics, /hilltop_remote_calls_refused_total\{method="setDeviceStatus",code="NotFound"\} 2/);
        assert.match(metrics, /hilltop_remote_calls_refused_total\{method="handleGatewayStats",code="NotFound"\} 1/);
        const ofStatus = warnings.filter(({ method }) => method === 'setDeviceStatus');
        assert.deepEqual(
          ofStatus.map(({ devEUI: about }) => about),
          [embedded],
          'the second one within a minute is only counted',
        );
        assert.match(ofStatus[0]!.msg, /^a call of a remote network server is refused/);
      });

      it('missing fields are reported', async () => {
        const location = new pb.SetDeviceLocationRequest();
        location.setDevEui(bytes(devEUI));
        await assert.rejects(calls.call('setDeviceLocation', location), { code: 3 });
        await assert.rejects(calls.call('handleProprietaryUplink', new pb.HandleProprietaryUplinkRequest()), {
          code: 3,
        });
      });

      if (transport === 'plain') return;

      it('only clients with a certificate of the CA are accepted', async () => {
        const error = new pb.HandleErrorRequest();
        error.setDevEui(bytes(devEUI));
        const stranger = await (await createAuthority('Another CA')).issue('client');
        for (const with_ of [{ ca: identity!.ca }, { ...stranger, ca: identity!.ca }]) {
          using others = remoteCalls(app.grpcPort, with_);
          await assert.rejects(others.call('handleError', error), { code: 14 });
        }
        await calls.call('handleError', error);
      });
    });
  }
