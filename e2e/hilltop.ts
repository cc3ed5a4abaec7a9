import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { freePort } from '@hilltop/simulator';
import { isUp, spawnServer } from '../scripts/demo/server.ts';

/** A server process for tests, on free ports and with an empty data directory, started like `npm start`. */
export interface Hilltop {
  readonly url: string;
  readonly host: string;
  readonly udpPort: number;
  /** The data directory. */
  readonly data: string;
  readonly pid: () => number;
  readonly email: string;
  readonly password: string;
  /** Ends the process with the signal; resolves with its exit code. */
  stop: (signal?: NodeJS.Signals) => Promise<number | null>;
  /** Starts it again with the same data and ports. */
  start: () => Promise<void>;
  /** Stops the process and removes its data. */
  remove: () => Promise<void>;
}

type Settings = Record<string, string>;

/** Where the server runs: its address, a command prefix, and another checkout if not this one. */
interface ServerLocation {
  host?: string;
  within?: readonly string[];
  root?: string | undefined;
}

/** A migrated database file, which `npm test` makes: the migrations take longer than the rest of a start. */
const template = process.env['HILLTOP_TEST_TEMPLATE'];

function copyTemplate(file: string): void {
  copyFileSync(template!, file);
  const database = new DatabaseSync(file);
  database.prepare('update installation set application_server_id = ?').run(crypto.randomUUID());
  database.close();
}

/** Settings may be computed from the server's own URL and data directory, which may be filled before the start. */
export async function startHilltop(
  settings: Settings | ((url: string, data: string) => Promise<Settings>) = {},
  { host = '127.0.0.1', within = [], root }: ServerLocation = {},
): Promise<Hilltop> {
  const data = mkdtempSync(join(tmpdir(), 'hilltop-e2e-'));
  const [httpPort, udpPort] = [await freePort(), await freePort()];
  const [email, password] = ['admin@example.org', 'correct horse battery staple'];
  const url = `http://${host}:${httpPort}`;
  const own = typeof settings === 'function' ? await settings(url, data) : settings;
  let server: ChildProcess;
  const file = join(data, 'hilltop.db');
  if (template && root === undefined && own['HILLTOP_DATABASE_URL'] === undefined && !existsSync(file))
    copyTemplate(file);

  async function start(): Promise<void> {
    const environment = {
      HILLTOP_HTTP: `${host}:${httpPort}`,
      HILLTOP_UDP: `${host}:${udpPort}`,
      HILLTOP_BASICS_STATION: '',
      HILLTOP_GRPC: '',
      HILLTOP_MQTT: '127.0.0.1:0',
      HILLTOP_MQTTS: '127.0.0.1:0',
      HILLTOP_DATA: data,
      HILLTOP_ADMIN_EMAIL: email,
      HILLTOP_ADMIN_PASSWORD: password,
      HILLTOP_LOG_LEVEL: 'warn',
      // No requests to the internet.
      HILLTOP_MAP_TILES_URL: '',
      HILLTOP_DEVICE_LIBRARY_URL: '',
      ...own,
    };
    server = spawnServer(environment, { stdio: ['ignore', 'ignore', 'inherit'], within, root });
    // Generous: a busy machine is slow, which is not a failure.
    if (await isUp(server, url, { everyMs: 10, withinMs: 180_000 })) return;
    server.kill('SIGKILL');
    throw new Error(`The server did not start (exit code ${server.exitCode}).`);
  }

  async function stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    if (server.exitCode !== null || server.signalCode !== null) return server.exitCode;
    const gone = once(server, 'exit');
    server.kill(signal);
    const [code] = (await gone) as [number | null];
    return code;
  }

  await start();
  return {
    url,
    host,
    udpPort,
    data,
    pid: () => server.pid ?? 0,
    email,
    password,
    start,
    stop,
    remove: async () => {
      await stop('SIGKILL');
      rmSync(data, { recursive: true, force: true });
    },
  };
}
