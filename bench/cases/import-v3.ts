import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { freePort } from '@hilltop/simulator';
import { startVersion3 } from '../../apps/server/src/import-v3/testing/version-3.ts';
import manifest from '../../package.json' with { type: 'json' };
import type { Case } from '../case.ts';
import { startBenchPostgres } from '../driver/postgres.ts';
import { peakMB } from '../driver/process-use.ts';
import { addUplinks, fillWithDevices } from '../driver/version-3-fleet.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const command = manifest.scripts['import-v3'].split(' ').slice(1);
const lookEveryMs = 50;

interface Pass {
  /** Duration of the process in seconds. */
  seconds: number;
  /** Seconds since the process bound the UDP port; 0 for a pass without it. */
  heldSeconds: number;
  peakMB: number;
}

/** Imports an installation of version 3 with many devices: dry run, copy and final pass. */
export const importV3: Case = async (bench) => {
  const devices = bench.quick ? 10_000 : 100_000;
  await using parts = new AsyncDisposableStack();
  const postgres = await startBenchPostgres();
  parts.defer(() => postgres.stop());
  const v3 = parts.use(await startVersion3(postgres.url));
  const data = mkdtempSync(join(tmpdir(), 'hilltop-import-'));
  parts.defer(() => rmSync(data, { recursive: true, force: true }));
  bench.say(`making an installation of ${devices} devices`);
  await fillWithDevices(v3, devices);

  const environment = {
    HILLTOP_DATA: data,
    HILLTOP_UDP: `127.0.0.1:${await freePort()}`,
    ...(bench.database === 'postgres' && { HILLTOP_DATABASE_URL: postgres.url }),
  };
  const files = ['--config', v3.config, '--ns-config', v3.networkServerConfig];
  const report = join(data, 'report.json');
  async function pass(name: string, ...words: string[]): Promise<Pass> {
    const found = await run([...files, '--report', report, ...words], { ...bench.settings, ...environment });
    const { counts } = JSON.parse(readFileSync(report, 'utf8')) as { counts: { what: string; inV3: number }[] };
    const sessions = counts.find(({ what }) => what === 'sessions')?.inV3;
    if (sessions !== devices + 1) throw new Error(`${name} found ${sessions} sessions.`);
    bench.say(`${name}: ${found.seconds} s, ${found.peakMB} MB`);
    return found;
  }
  const look = await pass('dry run', '--dry-run');
  const copy = await pass('copy');
  await addUplinks(v3, devices / 100);
  const change = await pass('change', '--final', '--settle', '0');
  const among = `of ${devices.toLocaleString('en')} devices with sessions`;
  const most = Math.max(look.peakMB, copy.peakMB, change.peakMB);
  return {
    rows: [
      row(`moving in ${among}: dry run`, '30 s', `${look.seconds} s`),
      row(`moving in ${among}: copy, each row looked at again`, '60 s', `${copy.seconds} s`),
      row(`moving in ${among}: with the port held`, '15 s', `${change.heldSeconds} s`),
      row(`moving in ${among}: memory`, '500 MB', `${most} MB`),
    ],
    measured: { devices, look, copy, change },
  };
};

const row = (work: string, target: string, ours: string) => ({ work, before: '-', target, ours });

/** Runs the command as operators run it. */
async function run(words: string[], environment: Record<string, string>): Promise<Pass> {
  const from = performance.now();
  const since = (moment: number) => Math.round((performance.now() - moment) / 100) / 10;
  const env = { ...process.env, ...environment };
  const child = spawn(process.execPath, [...command, ...words], {
    cwd: root,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let [heldAt, most, last] = [0, 0, ''];
  createInterface({ input: child.stderr }).on('line', (line) => {
    if (line.includes('is taken')) heldAt = performance.now();
    last = line;
  });
  const watch = setInterval(() => (most = Math.max(most, peakMB(child.pid!))), lookEveryMs);
  const [code] = (await once(child, 'exit')) as [number | null];
  clearInterval(watch);
  if (code !== 0 && code !== 2) throw new Error(`The import ended with ${code}: ${last}`);
  return { seconds: since(from), heldSeconds: heldAt === 0 ? 0 : since(heldAt), peakMB: most };
}
