import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bytesBelow, postgresSeconds } from './postgres.ts';
import { processorSeconds, residentMB } from './process-use.ts';
import type { BenchServer } from './server.ts';

/** What a run took of the machine. */
export interface SoakUse {
  /** Microseconds of processor time per uplink, of each process. */
  processor: { server: number; driver: number; postgres?: number };
  /** How long the server's event loop stood still, in ms. */
  loop: { p99: number; p999: number; max: number };
  /** Of the server: the most, and at the end. */
  memoryMB: { most: number; end: number };
  databaseMB: number;
  /** The most that the log before the database's files held. */
  walMB: number;
  /** Facts that waited to be added up when the last round of the statistics began. */
  statisticsWaiting: number;
}

const lookEveryMs = 2000;
const megabyte = 1e6;

/** The file in which a server tells how its event loop stood still, and the settings that make it. */
export function watchLoop() {
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

/** Watches from now until the answer is called with the number of uplinks sent meanwhile. */
export function watchUse(
  server: BenchServer,
  loop: Pick<ReturnType<typeof watchLoop>, 'begin' | 'read'>,
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
  return postgres ? bytesBelow(join(postgres.data, 'base')) : statSync(join(hilltop.data, 'hilltop.db')).size;
}

function walBytes({ hilltop, postgres }: BenchServer): number {
  if (postgres) return bytesBelow(join(postgres.data, 'pg_wal'));
  const log = join(hilltop.data, 'hilltop.db-wal');
  return existsSync(log) ? statSync(log).size : 0;
}
