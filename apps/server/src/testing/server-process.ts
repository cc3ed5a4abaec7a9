import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { freePort, freeUdpPort } from '@hilltop/simulator';
import { childEnvironment } from './child-environment.ts';
import { createMigratedStorage } from './databases.ts';
import { firstOutput } from './first-output.ts';

const main = fileURLToPath(new URL('../main.ts', import.meta.url));

export type Listener = 'http' | 'udp' | 'basicsStation' | 'grpc' | 'joinServer' | 'mqtt' | 'mqtts';

/** A server with all its listeners in a child process, so that a test detects an error that ends the process. */
export interface ServerProcess extends AsyncDisposable {
  child: ChildProcess;
  url: string;
  ports: Readonly<Record<Listener, number>>;
  /** What the process has written to its standard error, such as the stack trace of an uncaught error. */
  errors: () => string;
}

export const adminPassword = 'a long password';

export async function startServerProcess(environment: Record<string, string> = {}): Promise<ServerProcess> {
  await using parts = new AsyncDisposableStack();
  const testStorage = parts.use(await createMigratedStorage('sqlite'));
  const ports = {
    http: await freePort(),
    basicsStation: await freePort(),
    grpc: await freePort(),
    joinServer: await freePort(),
    mqtt: await freePort(),
    mqtts: await freePort(),
    udp: await freeUdpPort(),
  };
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main], {
    cwd: testStorage.dataDir,
    env: {
      ...childEnvironment,
      HILLTOP_HTTP: `127.0.0.1:${ports.http}`,
      HILLTOP_UDP: `127.0.0.1:${ports.udp}`,
      HILLTOP_BASICS_STATION: `127.0.0.1:${ports.basicsStation}`,
      HILLTOP_GRPC: `127.0.0.1:${ports.grpc}`,
      HILLTOP_JOIN_SERVER: `127.0.0.1:${ports.joinServer}`,
      HILLTOP_MQTT: `127.0.0.1:${ports.mqtt}`,
      HILLTOP_MQTTS: `127.0.0.1:${ports.mqtts}`,
      HILLTOP_DATA: testStorage.dataDir,
      HILLTOP_ADMIN_PASSWORD: adminPassword,
      HILLTOP_LOG_LEVEL: 'silent',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  parts.defer(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  await firstOutput(child, () => errors);
  child.stdout.resume();
  const all = parts.move();
  return {
    child,
    ports,
    url: `http://127.0.0.1:${ports.http}`,
    errors: () => errors,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
