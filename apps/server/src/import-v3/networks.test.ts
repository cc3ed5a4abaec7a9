import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { operations } from '@hilltop/contract';
import { create, toBinary } from '@hilltop/protobuf';
import { createDevice, startGateway } from '@hilltop/simulator';
import { startServer } from '../compose.ts';
import { settings } from '../config.ts';
import { createLog } from '../log.ts';
import { bucketStart, type Interval } from '../statistics/interval.ts';
import { openStorage } from '../storage.ts';
import { createTestClient } from '../testing/client.ts';
import { createTestPlace, databases, type TestPlace } from '../testing/databases.ts';
import { importAll } from './import.ts';
import type { Report } from './report.ts';
import { ReceiversMessage } from './source/session-message.ts';
import { fillVersion3, fixture, sessionOf } from './testing/fixture.ts';
import { applicationServerID, needsVersion3, secondPrefix, startVersion3, type Version3 } from './testing/version-3.ts';

const hex = (text: string) => Buffer.from(text, 'hex');
const uuid = (last: number) => `a1d9c1f8-5a07-4a37-b43b-7dd6c4d40d${last}`;
const session = (prefix: string, devEUI: string) => `${prefix}lora:ns:device:${devEUI}`;

/** A class C device at the second network server, a gateway there, and one device at a network server that stays. */
const lamp = { devEUI: '0a1b2c3d4e5f6072', devAddr: '01abcdf0', gatewayID: 'b827ebfffe112244' } as const;
const far = '0a1b2c3d4e5f6073';

async function addNetworks(v3: Version3): Promise<void> {
  const { insert, redis } = v3;
  const lastSeen = new Date(Date.now() - 60_000);
  for (const [id, name] of [
    [4, 'second'],
    [5, 'far'],
  ] as const) {
    const of = { organization_id: 7, network_server_id: id, name };
    await insert('as', 'network_server', { id, name, server: `${name}.example.org:8000` });
    await insert('as', 'service_profile', { ...of, service_profile_id: uuid(id + 10) });
    await insert('as', 'device_profile', { ...of, device_profile_id: uuid(id + 20) });
    const application = { id: id + 10, name, organization_id: 7, service_profile_id: uuid(id + 10) };
    await insert('as', 'application', application);
  }
  const device = (devEUI: string, of: number) => ({
    dev_eui: hex(devEUI),
    application_id: of + 10,
    device_profile_id: uuid(of + 20),
    name: devEUI,
  });
  const activated = { dev_addr: hex(lamp.devAddr), app_s_key: hex(fixture.appSKey), last_seen_at: lastSeen };
  await insert('as', 'device', { ...device(lamp.devEUI, 4), ...activated }, device(far, 5));
  const gateway = { organization_id: 7, network_server_id: 4, name: 'mast' };
  await insert('as', 'gateway', { ...gateway, mac: hex(lamp.gatewayID) });

  const routing = { routing_profile_id: applicationServerID };
  await insert('ns2', 'routing_profile', routing);
  await insert('ns2', 'service_profile', { service_profile_id: uuid(14) });
  const classC = { supports_class_c: true, class_c_timeout: 5 };
  await insert('ns2', 'device_profile', { device_profile_id: uuid(24), max_eirp: 16, ...classC });
  await insert('ns2', 'gateway', { gateway_id: hex(lamp.gatewayID), ...routing });
  const atSecond = { ...routing, device_profile_id: uuid(24), service_profile_id: uuid(14) };
  await insert('ns2', 'device', { ...atSecond, dev_eui: hex(lamp.devEUI), mode: 'C' });
  const item = { f_port: 2, frm_payload: hex('0102') };
  const ofLamp = { ...item, dev_eui: hex(lamp.devEUI), dev_addr: hex(lamp.devAddr) };
  await insert('ns2', 'device_queue', { ...ofLamp, f_cnt: fixture.nFCntDown, confirmed: true });
  const ofMeter = { ...item, dev_eui: hex(fixture.devEUI) };
  await insert('ns', 'device_queue', { ...ofMeter, dev_addr: hex(fixture.devAddr), f_cnt: fixture.nFCntDown });
  await insert('ns', 'device_queue', { ...ofMeter, dev_addr: hex('01020304'), f_cnt: 3 });

  // The second knows the device of the first, too, with another session and what hangs on it.
  await insert('ns2', 'device', { ...atSecond, dev_eui: hex(fixture.devEUI) });
  const nonce = { dev_eui: hex(fixture.devEUI), join_eui: hex(fixture.joinEUI), dev_addr: hex('05060708') };
  await insert('ns2', 'device_activation', { ...nonce, dev_nonce: 1, join_req_type: 255 });
  await insert('ns2', 'device_queue', { ...ofMeter, dev_addr: hex('05060708'), f_cnt: 1 });
  const other = sessionOf({ devAddr: hex('05060708'), fCntUp: 9000 });
  await redis.set(session(secondPrefix, fixture.devEUI), Buffer.from(other));

  const radio = { rx2DR: 2, rx2Frequency: 923_200_000, enabledUplinkChannels: [0, 1] };
  const ofLampSession = { devAddr: hex(lamp.devAddr), devEUI: hex(lamp.devEUI), ...radio };
  await redis.set(session(secondPrefix, lamp.devEUI), Buffer.from(sessionOf(ofLampSession)));
  const receiver = { gatewayID: hex(lamp.gatewayID), rssi: -61, loraSNR: 8.5, context: hex('01020304') };
  const receivers = create(ReceiversMessage, { devEUI: hex(lamp.devEUI), dr: 3, items: [receiver] });
  await redis.set(`${session(secondPrefix, lamp.devEUI)}:gwrx`, Buffer.from(toBinary(ReceiversMessage, receivers)));
}

/** What the application server counted of a device and a gateway, among fields that are no numbers and older sums. */
async function addStatistics({ redis }: Version3, now: number): Promise<void> {
  const applicationServer = redis.duplicate({ db: 1 });
  const set = (subject: string, interval: Interval, start: number, counters: Record<string, string | number>) =>
    applicationServer.hset(`lora:as:metrics:{${subject}}:${interval}:${start / 1000}`, counters);
  const today = bucketStart('DAY', now);
  const signal = { gw_rssi_sum: -610, gw_snr_sum: 85, rx_freq_868100000: 10, rx_dr_3: 10 };
  await set(`device:${fixture.devEUI}`, 'DAY', today, { rx_count: 10, ...signal, broken: 'x' });
  await set(`device:${fixture.devEUI}`, 'MONTH', bucketStart('MONTH', now), { rx_count: 40 });
  await set(`device:${fixture.devEUI}`, 'DAY', bucketStart('DAY', today - 60 * 86_400_000), { rx_count: 1 });
  await set(`device:${fixture.devEUI}`, 'HOUR', bucketStart('HOUR', now), { rx_count: 2 });
  await set(`gw:${fixture.gatewayID}`, 'DAY', today, { rx_count: 12, rx_ok_count: 11, tx_count: 3, tx_ok_count: 2 });
  applicationServer.disconnect();
}

describe('moving in with several network servers', needsVersion3, () => {
  let v3: Version3;
  const now = new Date();
  before(async () => {
    v3 = await startVersion3();
    await fillVersion3(v3);
    await addNetworks(v3);
    await addStatistics(v3, now.getTime());
  });
  after(() => v3[Symbol.asyncDispose]());

  const configOf = ({ dataDir, databaseURL }: TestPlace) =>
    settings.parse({
      ...{ http: '127.0.0.1:0', udp: '127.0.0.1:0', basicsStation: '', grpc: '', mqtt: '', mqtts: '' },
      ...{ data: dataDir, databaseURL, logLevel: 'silent' },
    });

  async function importInto(place: TestPlace, isFinal: boolean): Promise<Report> {
    const config = configOf(place);
    const storage = await openStorage(config, createLog(config));
    const files = { config: v3.config, networkServerConfigs: [v3.networkServerConfig, v3.secondNetworkServerConfig] };
    try {
      const surroundings = { now: () => now, say: () => undefined };
      return await importAll({ ...files, downlinkMargin: 1, isFinal }, { ...storage, config }, surroundings);
    } finally {
      await storage.close();
    }
  }

  for (const kind of databases) {
    describe(`into ${kind}`, () => {
      let place: TestPlace;
      let report: Report;
      let server: Awaited<ReturnType<typeof startServer>>;
      let client: ReturnType<typeof createTestClient>;
      let token: string;
      before(async () => {
        place = await createTestPlace(kind);
        report = await importInto(place, false);
        assert.deepEqual(
          (await importInto(place, true)).findings.filter(({ kind: of }) => of === 'stops'),
          [],
        );
        server = await startServer(configOf(place));
        client = createTestClient(`http://127.0.0.1:${server.httpPort}`);
        token = await client.signIn('anna@example.org', fixture.password);
      });
      after(async () => {
        await server?.stop();
        await place[Symbol.asyncDispose]();
      });

      it('makes each whose file was given an embedded one, and leaves the others where they are', async () => {
        const servers = await Promise.all(
          ['3', '4', '5'].map((id) => client.call(operations.networkServer.get, { id }, token)),
        );
        assert.deepEqual(
          servers.map(({ networkServer }) => networkServer?.server),
          ['embedded:EU868', 'embedded:AS923', 'far.example.org:8000'],
        );
      });

      it('takes of a device that two of them know what its own one has', async () => {
        const known = report.findings.find(({ because }) => because.startsWith('another network server knows'));
        assert.deepEqual(known?.examples, [fixture.devEUI]);
        const { query } = server.needs.database;
        const sessions = await query
          .selectFrom('ns_session')
          .select(['network_server_id', 'dev_eui', 'dev_addr'])
          .orderBy('dev_eui')
          .execute();
        assert.deepEqual(
          sessions.map(({ network_server_id: id, dev_eui, dev_addr }) => [Number(id), dev_eui, dev_addr]),
          [
            [3, fixture.devEUI, fixture.devAddr],
            [4, lamp.devEUI, lamp.devAddr],
          ],
        );
        const nonces = await query.selectFrom('ns_activation').select(['dev_nonce']).execute();
        assert.deepEqual(
          nonces.map(({ dev_nonce }) => dev_nonce),
          [fixture.usedNonce],
        );
      });

      it('keeps what is queued, but for earlier sessions', async () => {
        const { inV3, new: fresh, notCarried } = report.counts.find(({ what }) => what === 'queued downlinks')!;
        assert.deepEqual([inV3, fresh, notCarried], [4, 2, 2]);
        const list = { devEUI: fixture.devEUI };
        const { deviceQueueItems } = await client.call(operations.deviceQueue.list, list, token);
        assert.deepEqual(
          deviceQueueItems.map(({ fPort, confirmed }) => [fPort, confirmed]),
          [[2, false]],
        );
      });

      it('sends a class C device what waits for it, without an uplink', async () => {
        const gateway = await startGateway({ server: `127.0.0.1:${server.udpPort}`, gatewayID: lamp.gatewayID });
        await using _gateway = gateway;
        await gateway.online();
        const due = server.needs.database.query.selectFrom('ns_due').select('key').where('kind', '=', 'queue');
        assert.equal((await due.executeTakeFirst())?.key, lamp.devEUI);
        // Without a gateway it was put off for a minute: a second one has it looked at now, and goes after it.
        const later = { devEUI: lamp.devEUI, fPort: 3, data: 'AQI=' };
        await client.call(operations.deviceQueue.enqueue, { deviceQueueItem: later }, token);
        const { nwkSKey, appSKey, fCntUp, nFCntDown } = fixture;
        const device = createDevice({
          ...{ devEUI: lamp.devEUI, macVersion: '1.0.3', region: 'AS923', classC: true, random: Math.random },
          session: { devAddr: lamp.devAddr, keys: { nwkSKey, appSKey }, fCntUp, fCntDown: nFCntDown, dataRate: 3 },
        });
        const { phyPayload } = await gateway.nextDownlink(8000);
        const heard = device.receive(phyPayload);
        assert.ok(heard.kind === 'data');
        assert.deepEqual([heard.fPort, heard.confirmed], [2, true]);
      });

      it('keeps the statistics of the last month, and no counter that is none', async () => {
        const day = {
          interval: 'DAY',
          startTimestamp: new Date(bucketStart('DAY', now.getTime())).toISOString(),
          endTimestamp: now.toISOString(),
        };
        const ofDevice = await client.call(operations.device.getStats, { devEUI: fixture.devEUI, ...day }, token);
        const { rxPackets, gwRssi, rxPacketsPerDr } = ofDevice.result[0]!;
        assert.deepEqual([rxPackets, gwRssi, rxPacketsPerDr], [10, -61, { 3: 10 }]);
        const ofGateway = await client.call(
          operations.gateway.getStats,
          { gatewayID: fixture.gatewayID, ...day },
          token,
        );
        const { rxPacketsReceived, rxPacketsReceivedOK, txPacketsEmitted } = ofGateway.result[0]!;
        assert.deepEqual([rxPacketsReceived, rxPacketsReceivedOK, txPacketsEmitted], [12, 11, 2]);
        assert.deepEqual(report.counts.find(({ what }) => what === 'statistics')?.new, 3);
      });

      it('keeps them with the last pass, too, when that is the first', async () => {
        await using other = await createTestPlace(kind);
        const { counts } = await importInto(other, true);
        assert.equal(counts.find(({ what }) => what === 'statistics')?.new, 3);
      });
    });
  }
});
