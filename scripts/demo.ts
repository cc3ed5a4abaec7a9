// Hilltop with a simulated network: 25 gateways, 200 devices, in a demo organization. Everything is new at each start
// unless HILLTOP_DATA names a directory to keep.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { planNetwork, seededRandom, startSimulation } from '@hilltop/simulator';
import { historyOf, writeHistory } from './demo/history.ts';
import { keyOf } from './demo/key.ts';
import { provision } from './demo/provision.ts';
import { endTogether, isUp, signIn, spawnServer } from './demo/server.ts';

const uplinksPerSecond = 4;
const env = process.env;
const port = (address: string) => address.slice(address.lastIndexOf(':') + 1);

const keptData = env.HILLTOP_DATA;
const data = keptData ?? mkdtempSync(join(tmpdir(), 'hilltop-demo-'));
const email = env.HILLTOP_ADMIN_EMAIL ?? 'admin@hilltop.local';
const password = env.HILLTOP_ADMIN_PASSWORD ?? randomBytes(9).toString('base64url');
const url = `http://127.0.0.1:${port(env.HILLTOP_HTTP ?? '0.0.0.0:8080')}`;
const stationAddress = env.HILLTOP_BASICS_STATION ?? '127.0.0.1:3001';
const station = stationAddress === '' ? '' : `ws://127.0.0.1:${port(stationAddress)}`;
// At the websocket of the HTTP port, whatever port the broker has.
const hasMQTT = !env.HILLTOP_MQTT_URL && (env.HILLTOP_MQTT !== '' || env.HILLTOP_MQTTS !== '');
const udp = `127.0.0.1:${port(env.HILLTOP_UDP ?? '0.0.0.0:1700')}`;

const server = spawnServer({
  HILLTOP_DATA: data,
  HILLTOP_ADMIN_EMAIL: email,
  HILLTOP_ADMIN_PASSWORD: password,
  HILLTOP_BASICS_STATION: stationAddress,
  HILLTOP_MQTT: env.HILLTOP_MQTT ?? '127.0.0.1:0',
  HILLTOP_MQTTS: env.HILLTOP_MQTTS ?? '127.0.0.1:0',
  HILLTOP_LOG_LEVEL: env.HILLTOP_LOG_LEVEL ?? 'warn',
});
endTogether(server);
server.once('exit', (code) => {
  if (!keptData) rmSync(data, { recursive: true, force: true });
  process.exit(code ?? 1);
});

if (await isUp(server, url)) {
  // The same plan each time, so that a kept directory and its devices still know each other.
  const plan = planNetwork({ gateways: 25, devices: 200, random: seededRandom(2026) });
  const client = await signIn(url, email, password).catch((error: unknown) => {
    console.error(`Signing in failed: ${error instanceof Error ? error.message : String(error)}`);
    console.error('With a kept HILLTOP_DATA give the HILLTOP_ADMIN_PASSWORD it was made with.');
    server.kill();
    return undefined;
  });
  if (client) {
    const { result } = await client.organization.list({ limit: 1, search: 'Demo organization' });
    const known = result[0]?.id;
    const organizationID = known ?? (await provision(client, plan));
    const hasHistory = known === undefined && !env.HILLTOP_DATABASE_URL;
    if (hasHistory) writeHistory(data, historyOf(plan, Date.now(), seededRandom(30)));
    await startSimulation({
      server: udp,
      ...(station && { stationServer: station }),
      ...(hasMQTT && {
        broker: { server: `${url.replace('http', 'ws')}/mqtt`, password: await keyOf(client, organizationID) },
      }),
      plan,
      rate: uplinksPerSecond,
      startWithinMs: 20_000,
    });
    console.log(`The demo network is on the air: ${plan.gateways.length} gateways and ${plan.devices.length} devices.
${hasHistory ? '  The charts begin with 30 days that are made up.\n' : ''}  Watch      ${url}/organizations/${organizationID}
  Sign in    ${email} with the password ${password}
  Stop       Ctrl+C${keptData ? '' : '; nothing is kept'}
`);
  }
}
