import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { startInstances } from './instances.ts';
import { signIn } from './server.ts';
import { startDemoSimulation } from './simulation.ts';

const portOf = (address = '') => Number(address.slice(address.lastIndexOf(':') + 1));

/** Runs several servers behind a load balancer until Ctrl+C, and removes all data at the end. */
export async function runCluster(count: number): Promise<void> {
  const env = process.env;
  const email = env.HILLTOP_ADMIN_EMAIL ?? 'admin@hilltop.local';
  const password = env.HILLTOP_ADMIN_PASSWORD ?? randomBytes(9).toString('base64url');
  const stopped = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  // npm repeats the SIGINT that the terminal has sent already: the second one must not interrupt the clean-up.
  process.on('SIGINT', () => undefined);
  console.log(`Starting PostgreSQL, Redis and ${count} instances ...`);
  await using parts = new AsyncDisposableStack();
  parts.defer(() => console.log('Everything has ended, and nothing is left of it.'));
  const instances = parts.use(
    await startInstances({
      count,
      ports: { http: portOf(env.HILLTOP_HTTP ?? ':8080'), station: portOf(env.HILLTOP_BASICS_STATION || ':3001') },
      environment: {
        HILLTOP_ADMIN_EMAIL: email,
        HILLTOP_ADMIN_PASSWORD: password,
        HILLTOP_LOG_LEVEL: env.HILLTOP_LOG_LEVEL ?? 'warn',
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    }),
  );
  const { url, station, each, services } = instances;
  const client = await signIn(url, email, password);
  const udp = each.map((instance) => instance.udp);
  const { plan, organizationID, simulation } = await startDemoSimulation({ client, url, udp, station, hasMQTT: true });
  parts.use(simulation);
  const lines = each.map(({ name, url: own, udp: at }) => `  ${name} ${own}, packet forwarders at ${at}`);
  const hostOf = (text: string) => new URL(text).host;
  console.log(`The demo network is on the air: ${plan.gateways.length} gateways and ${plan.devices.length} devices, spread over ${count} instances.
${lines.join('\n')}
  Balancer   ${url}, stations at ${station}: forwards to ready instances
  Behind     PostgreSQL at ${hostOf(services.databaseURL)}, Redis at ${hostOf(services.redisURL)}
  Watch      ${url}/organizations/${organizationID}
  Sign in    ${email} with the password ${password}
  Try        kill one of the processes and go on watching
  Stop       Ctrl+C; all data is removed
`);
  await stopped;
  console.log('Stopping ...');
}
