import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandom } from '@hilltop/simulator';
import { historyOf, writeHistory } from './history.ts';
import { outagesOf, writeOutages } from './outages.ts';
import { endWithThisProcess, isUp, signIn, spawnServer } from './server.ts';
import { startDemoSimulation } from './simulation.ts';
import { writeValues } from './values.ts';

const portOf = (address: string) => address.slice(address.lastIndexOf(':') + 1);

/** Runs one server with the given settings until it stops. */
export async function runSingleServer(): Promise<void> {
  const env = process.env;
  const keptData = env.HILLTOP_DATA;
  const data = keptData ?? mkdtempSync(join(tmpdir(), 'hilltop-demo-'));
  const email = env.HILLTOP_ADMIN_EMAIL ?? 'admin@hilltop.local';
  const password = env.HILLTOP_ADMIN_PASSWORD ?? randomBytes(9).toString('base64url');
  const url = `http://127.0.0.1:${portOf(env.HILLTOP_HTTP ?? '0.0.0.0:8080')}`;
  const stationAddress = env.HILLTOP_BASICS_STATION ?? '127.0.0.1:3001';
  const station = stationAddress === '' ? '' : `ws://127.0.0.1:${portOf(stationAddress)}`;
  const hasMQTT = !env.HILLTOP_MQTT_URL && (env.HILLTOP_MQTT !== '' || env.HILLTOP_MQTTS !== '');
  const udp = [`127.0.0.1:${portOf(env.HILLTOP_UDP ?? '0.0.0.0:1700')}`];

  const server = spawnServer({
    HILLTOP_DATA: data,
    HILLTOP_ADMIN_EMAIL: email,
    HILLTOP_ADMIN_PASSWORD: password,
    HILLTOP_BASICS_STATION: stationAddress,
    HILLTOP_MQTT: env.HILLTOP_MQTT ?? '127.0.0.1:0',
    HILLTOP_MQTTS: env.HILLTOP_MQTTS ?? '127.0.0.1:0',
    HILLTOP_LOG_LEVEL: env.HILLTOP_LOG_LEVEL ?? 'warn',
  });
  endWithThisProcess(server);
  server.once('exit', (code) => {
    if (!keptData) rmSync(data, { recursive: true, force: true });
    process.exit(code ?? 1);
  });

  if (!(await isUp(server, url))) return;
  const client = await signIn(url, email, password).catch((error: unknown) => {
    console.error(`Signing in failed: ${error instanceof Error ? error.message : String(error)}`);
    console.error('With an existing HILLTOP_DATA, set HILLTOP_ADMIN_PASSWORD to the password of its first start.');
    server.kill();
    return undefined;
  });
  if (!client) return;
  let hasHistory = false;
  const { plan, organizationID } = await startDemoSimulation({
    client,
    url,
    udp,
    station,
    hasMQTT,
    prepare: async (planned) => {
      if (env.HILLTOP_DATABASE_URL) return;
      if (env.HILLTOP_HISTORY !== 'false') await writeValues(data, planned, Date.now(), seededRandom(7));
      writeHistory(data, historyOf(planned, Date.now(), seededRandom(30)));
      writeOutages(data, outagesOf(planned, Date.now(), seededRandom(8)), Date.now());
      hasHistory = true;
    },
  });
  console.log(`The demo network is on the air: ${plan.gateways.length} gateways and ${plan.devices.length} devices.
${hasHistory ? '  The charts start with 30 days of made-up data.\n' : ''}  Watch      ${url}/organizations/${organizationID}
  Sign in    ${email} with the password ${password}
  Stop       Ctrl+C${keptData ? '' : '; all data is removed'}
`);
}
