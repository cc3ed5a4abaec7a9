import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { folderBytes, postgresSeconds } from './postgres.ts';
import { processorSeconds, residentMB } from './process-use.ts';
import type { BenchServer } from './server.ts';

/** Resources that a run used. */
export interface SoakUse {
  /** Processor time per uplink in microseconds, by process. */
  processor: { server: number; driver: number; postgres?: number };
  /** Longest blocking of the server's event loop, in ms. */
  loop: { p99: number; p999: number; max: number };
  /** Memory of the server: its peak and its final value. */
  memoryMB: { most: number; end: number };
  databaseMB: number;
  /** Peak size of the write-ahead log. */
  walMB: number;
  /** Number of statistics facts that waited for aggregation when its last round started. */
  statisticsWaiting: number;
}

const lookEveryMs = 2000;
const megabyte = 1e6;

/** The file to which a server writes how long its event loop was blocked, and the settings that make it do so. */
export function watchEventLoop() {
  const folder = mkdtempSync(join(tmpdir(), 'hilltop-loop-'));
  const file = join(folder, 'delay');
  const settings = {
    LOOP_WATCH_FILE: file,
    NODE_OPTIONS: `--import=${new URL('loop-watch.ts', import.meta.url).href}`,
  };
  return {
    settings,
    begin: () => rmSync(file, { force: true }),
    read: () => JSON.parse(readFileSync(file, 'utf8')) as SoakUse['loop'],
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Starts measuring. Call the returned function with the number of uplinks sent since then. */
export function measureUse(
  server: BenchServer,
  loop: Pick<ReturnType<typeof watchEventLoop>, 'begin' | 'read'>,
): (uplinks: number) => Promise<SoakUse> {
  const { hilltop, postgres } = server;
  const pid = hilltop.pid();
  const seconds = () => ({
    server: processorSeconds(pid),
    driver: processorSeconds(process.pid),
    postgres: postgres ? postgresSeconds(postgres) : 0,
  });
  const before = seconds();
  let [mostMB, walMB] = [0, 0];
  const look = () => {
    mostMB = Math.max(mostMB, residentMB(pid));
    walMB = Math.max(walMB, walBytes(server) / megabyte);
  };
  loop.begin();
  const looking = setInterval(look, lookEveryMs);

  return async (uplinks) => {
    clearInterval(looking);
    const after = seconds();
    const each = (used: number) => Math.round((used / uplinks) * 1e6);
    const delays = loop.read();
    look();
    const metrics = await (await fetch(`${hilltop.url}/metrics`)).text();
    return {
      processor: {
        server: each(after.server - before.server),
        driver: each(after.driver - before.driver),
        ...(postgres && { postgres: each(after.postgres - before.postgres) }),
      },
      loop: delays,
      memoryMB: { most: mostMB, end: residentMB(pid) },
      databaseMB: Math.round(databaseBytes(server) / megabyte),
      walMB: Math.round(walMB),
      statisticsWaiting: Number(/^hilltop_statistics_waiting (\d+)/m.exec(metrics)?.[1]),
    };
  };
}

function databaseBytes({ hilltop, postgres }: BenchServer): number {
  return postgres ? folderBytes(join(postgres.data, 'base')) : statSync(join(hilltop.data, 'hilltop.db')).size;
}

function walBytes({ hilltop, postgres }: BenchServer): number {
  if (postgres) return folderBytes(join(postgres.data, 'pg_wal'));
  const log = join(hilltop.data, 'hilltop.db-wal');
  return existsSync(log) ? statSync(log).size : 0;
}
