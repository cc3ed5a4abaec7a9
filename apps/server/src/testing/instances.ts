import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort, freeUdpPort } from '@hilltop/simulator';
import { childEnvironment } from './child-environment.ts';
import { createTestClient } from './client.ts';
import { createMigratedStorage } from './databases.ts';
import { firstOutput } from './first-output.ts';
import { startTestRedis, type TestRedis } from './redis.ts';
import type { TestApp } from './test-app.ts';

const main = fileURLToPath(new URL('../main.ts', import.meta.url));
const email = 'admin@hilltop.local';
const password = 'a long password';

/** Server processes on one PostgreSQL and one Redis, which tests kill and stop. */
export interface InstanceProcesses extends AsyncDisposable {
  redis: TestRedis;
  /** `program`: the main file of another version. */
  start: (program?: string) => Promise<Instance>;
}

/** One server process. */
export interface Instance {
  child: ChildProcess;
  /** Client of the server, without `parts`. */
  app: TestApp;
  udpPort: number;
}

/** `environment`: settings of all processes by the names of their variables. */
export async function createInstanceProcesses(environment: Record<string, string> = {}): Promise<InstanceProcesses> {
  await using parts = new AsyncDisposableStack();
  const testStorage = parts.use(await createMigratedStorage('postgres'));
  const redis = parts.use(await startTestRedis());
  const started: ChildProcess[] = [];
  parts.defer(async () => {
    for (const child of started) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  });

  async function start(program = main): Promise<Instance> {
    const [httpPort, udpPort] = [await freePort(), await freeUdpPort()];
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program], {
      cwd: testStorage.dataDir,
      env: {
        ...childEnvironment,
        HILLTOP_HTTP: `127.0.0.1:${httpPort}`,
        HILLTOP_UDP: `127.0.0.1:${udpPort}`,
        HILLTOP_BASICS_STATION: '',
        HILLTOP_GRPC: '',
        HILLTOP_MQTT: '',
        HILLTOP_MQTTS: '',
        HILLTOP_DATA: join(testStorage.dataDir, 'data'),
        HILLTOP_DATABASE_URL: testStorage.databaseURL,
        HILLTOP_REDIS_URL: redis.url,
        HILLTOP_INSTANCE_NAME: `instance ${started.length + 1}`,
        HILLTOP_ADMIN_PASSWORD: password,
        HILLTOP_LOG_LEVEL: 'silent',
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    started.push(child);
    await firstOutput(child);
    child.stdout!.resume();
    const url = `http://127.0.0.1:${httpPort}`;
    const client = createTestClient(url);
    const token = await client.signIn(email, password);
    const app = { url, udpPort, adminToken: token, ...client } as unknown as TestApp;
    app.call = (operation, input, as = token) => client.call(operation, input, as);
    return { child, app, udpPort };
  }

  const all = parts.move();
  return { redis, start, [Symbol.asyncDispose]: () => all.disposeAsync() };
}
