/**
 * Creates the data that a server of this version leaves when it is killed during work, for later versions to open:
 * HILLTOP_TEST_POSTGRES_URL=postgres://… node apps/server/src/testing/make-fixture.ts 1.2.0 writes `fixtures/1.2.0/`:
 * the data directory of SQLite, the dump of PostgreSQL (pg_dump), and a description of their contents.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { operations } from '@hilltop/contract';
import { createDevice as createSimulatedDevice, type Gateway, startGateway } from '@hilltop/simulator';
import { createTestClient } from './client.ts';
import { createTestStorage } from './databases.ts';
import { createAPIKey, createUser } from './factories.ts';
import { createGateway, createSurroundings, type FieldContext } from './field.ts';
import { firstOutput } from './first-output.ts';
import { type Fixture, type FixtureDevice, fixtures } from './fixtures.ts';
import { adminEmail, adminPassword, type TestApp } from './test-app.ts';
import { watch } from './watch.ts';

const [name] = process.argv.slice(2);
if (!name) throw new Error('Name the version the fixture is of.');
const main = fileURLToPath(new URL('../main.ts', import.meta.url));
const ports = { http: 18_471, udp: 18_472 };
const joinEUI = '70b3d57ed0000001';
const rootKeys = { nwkKey: '000102030405060708090a0b0c0d0e0f', appKey: 'f0e0d0c0b0a090807060504030201000' };
/** Statistics are aggregated every 15 s: of the first events, but not of the later ones. */
const addedUpMs = 20_000;

for (const kind of ['sqlite', 'postgres'] as const) {
  const folder = join(fixtures, name, kind);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await using testStorage = await createTestStorage(kind);
  const data = join(testStorage.dataDir, 'data');
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main], {
    env: {
      PATH: process.env['PATH'],
      HILLTOP_HTTP: `127.0.0.1:${ports.http}`,
      HILLTOP_UDP: `127.0.0.1:${ports.udp}`,
      HILLTOP_GRPC: '',
      HILLTOP_MQTT: '',
      HILLTOP_MQTTS: '',
      HILLTOP_BASICS_STATION: '',
      HILLTOP_DATA: data,
      HILLTOP_ADMIN_PASSWORD: adminPassword,
      HILLTOP_LOG_LEVEL: 'error',
      ...(testStorage.databaseURL && { HILLTOP_DATABASE_URL: testStorage.databaseURL }),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.once('exit', () => child.kill('SIGKILL'));
  await firstOutput(child);
  const fixture = await live(child);
  for (const key of ['encryption.key', 'token.key']) await copyFile(join(data, key), join(folder, key));
  if (kind === 'sqlite') {
    const database = new DatabaseSync(join(data, 'hilltop.db'));
    database.exec(`pragma wal_checkpoint(truncate); vacuum into '${join(folder, 'hilltop.db')}'`);
    database.close();
  } else {
    const dump = execFileSync('pg_dump', ['--no-owner', '--inserts', testStorage.databaseURL!], { encoding: 'utf8' });
    await writeFile(join(folder, 'hilltop.sql'), dump.replaceAll(/^\\.*$/gm, ''));
  }
  await writeFile(join(folder, 'fixture.json'), `${JSON.stringify(fixture, null, 2)}\n`);
}

/** Some typical work of a small installation. It is killed with one uplink acknowledged but not processed. */
async function live(server: ChildProcess): Promise<Fixture> {
  const url = `http://127.0.0.1:${ports.http}`;
  const client = createTestClient(url);
  const adminToken = await client.signIn(adminEmail, adminPassword);
  const app = { url, udpPort: ports.udp, adminToken, ...client } as unknown as TestApp;
  app.call = (operation, input, as = adminToken) => client.call(operation, input, as);

  const surroundings = await createSurroundings(app, { payloadCodec: 'CAYENNE_LPP' });
  const other = await createSurroundings(app, { macVersion: '1.1.0', regParamsRevision: 'B' });
  const { organizationID, applicationID } = surroundings;
  const member = await createUser(app, { organizations: [{ organizationID, isDeviceAdmin: true }] });
  const key = await createAPIKey(app, { applicationID });
  const gatewayID = await createGateway(app, organizationID);
  const gateway = await startGateway({ server: `127.0.0.1:${ports.udp}`, gatewayID, keepaliveMs: 0 });
  await gateway.online();
  await gateway.sendStat();

  const devices = [
    await joined(app, { gateway, surroundings, macVersion: '1.0.3' }),
    await joined(app, { gateway, surroundings: other, macVersion: '1.1.0' }),
  ];
  await sleep(addedUpMs);
  for (const { receiveFrame } of devices) await receiveFrame();
  const queued = { fPort: 7, data: 'aGVsbG8=', confirmed: true };
  await app.call(operations.deviceQueue.enqueue, {
    deviceQueueItem: { devEUI: devices[0]!.devEUI, ...queued },
  });
  const fixtureDevices: FixtureDevice[] = [];
  for (const { devEUI, macVersion, events } of devices) {
    const { deviceActivation: activation } = await app.call(operations.device.getActivation, { devEUI });
    fixtureDevices.push({ devEUI, macVersion, activation, events: events() });
  }
  const madeAt = new Date().toISOString();
  await devices[0]!.last();
  server.kill('SIGKILL');
  await once(server, 'close');
  await gateway[Symbol.asyncDispose]();
  const { email, password, token } = member;
  return {
    madeAt,
    member: { email, password, token },
    adminToken,
    keyToken: key.token,
    applicationID,
    gatewayID,
    rootKeys,
    devices: fixtureDevices,
    queued,
  };
}

type Joining = { gateway: Gateway; surroundings: FieldContext; macVersion: string };

async function joined(app: TestApp, { gateway, surroundings, macVersion }: Joining) {
  const { applicationID, deviceProfileID } = surroundings;
  const devEUI = macVersion.startsWith('1.1') ? '0102030405060711' : '0102030405060710';
  const device = { devEUI, name: `kept ${macVersion}`, applicationID, deviceProfileID, tags: { site: 'north' } };
  await app.call(operations.device.create, { device });
  await app.call(operations.device.createKeys, { deviceKeys: { devEUI, ...rootKeys } });
  const simulated = createSimulatedDevice({ devEUI, joinEUI, ...rootKeys, macVersion, random: Math.random });
  const events: string[] = [];
  const watching = await watch(app.url, `/api/devices/${devEUI}/events`, app.adminToken);
  const seen = async () => void events.push((await watching.next()).result!.type);

  gateway.receiveFrame(simulated.joinRequest());
  while (!simulated.session) simulated.receive((await gateway.nextDownlink(8000)).phyPayload);
  const message = () => ({ fPort: 3, data: Uint8Array.of(1, 0x67, 1, 16) });
  const receiveFrame = async () => {
    gateway.receiveFrame(simulated.uplink(message()));
    await seen();
    await sleep(300);
  };
  await receiveFrame();
  await seen();
  for (let more = 0; more < 2; more++) await receiveFrame();
  return {
    devEUI,
    macVersion,
    receiveFrame,
    events: () => [...events],
    last: async () => void (await gateway.receiveFrame(simulated.uplink(message())).acknowledged),
  };
}
