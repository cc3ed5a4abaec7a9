/** Backs up an installation of 100,000 devices while it receives uplinks, and restores it on both databases. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Case } from '../case.ts';
import { createBaseRecords } from '../driver/base-records.ts';
import { createABPFleet } from '../driver/fleet.ts';
import { openGateways } from '../driver/gateways.ts';
import { startBenchPostgres } from '../driver/postgres.ts';
import { startServer } from '../driver/server.ts';
import { startUplinkRunner } from '../driver/uplink-run.ts';

const uplinksPerSecond = 500;
const mostBackupSeconds = 20;
const mostRestoreSeconds = 60;
const mostDelayMs = 100;

/** Runs `npm run backup` or `npm run restore`. Answers its seconds. */
async function command(name: 'backup' | 'restore', settings: Record<string, string>, args: string[]): Promise<number> {
  const startedMs = performance.now();
  const program = fileURLToPath(new URL(`../../apps/server/src/${name}.ts`, import.meta.url));
  const env = { PATH: process.env['PATH'], ...settings };
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', '--v8-pool-size=1', program, ...args],
    {
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  const [status] = (await once(child, 'exit')) as [number | null];
  if (status !== 0) throw new Error(`${name} ended with ${status}`);
  return Math.round((performance.now() - startedMs) / 100) / 10;
}

export const backup: Case = async (bench) => {
  const { quick, say } = bench;
  const count = quick ? 10_000 : 100_000;
  const directory = await mkdtemp(join(tmpdir(), 'hilltop-bench-'));
  try {
    await using server = await startServer(bench);
    const { client, hilltop, postgres } = server;
    const ground = await createBaseRecords(client);
    const fleet = await createABPFleet(client, ground, 500);
    say(`creating ${count} devices`);
    await createABPFleet(client, ground, count - 500, { first: 500 });
    using gateways = await openGateways(hilltop.udpPort, ground.gatewayIDs);
    using runner = await startUplinkRunner(server, fleet, gateways);
    await runner.run(200, 3);
    const before = await runner.run(uplinksPerSecond, 10);
    const from = { HILLTOP_DATA: hilltop.data, ...(postgres && { HILLTOP_DATABASE_URL: postgres.url }) };
    const file = join(directory, 'all.backup');
    const backingUp = command('backup', from, [file]);
    const during = await runner.run(uplinksPerSecond, 10);
    const backupSeconds = await backingUp;
    const { size } = await stat(file);
    await hilltop.stop();

    for (const key of ['encryption.key', 'token.key']) await copyFile(join(hilltop.data, key), join(directory, key));
    const restoreSeconds = await command('restore', { HILLTOP_DATA: directory }, [file]);
    const target = await startBenchPostgres();
    const to = { HILLTOP_DATA: directory, HILLTOP_DATABASE_URL: target.url };
    const moveSeconds = await command('restore', to, [file]).finally(() => target.stop());
    const added = Math.round(during.latency.max - before.latency.max);
    return {
      rows: [
        {
          work: `${count} devices backed up beside ${uplinksPerSecond} uplinks/s`,
          before: '-',
          target: `${mostBackupSeconds} s, slowest uplink + ${mostDelayMs} ms, none lost`,
          ours: `${backupSeconds} s, ${(size / 1e6).toFixed(1)} MB, slowest uplink + ${added} ms, ${during.lost} lost`,
          isBroken: during.lost > 0,
        },
        {
          work: `${count} devices restored on SQLite / PostgreSQL`,
          before: '-',
          target: `${mostRestoreSeconds} s`,
          ours: `${restoreSeconds} / ${moveSeconds} s`,
        },
      ],
      measured: { before, during, size, backupSeconds, restoreSeconds, moveSeconds },
    };
  } finally {
    await rm(directory, { recursive: true });
  }
};
