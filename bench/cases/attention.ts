import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Case } from '../case.ts';
import { createBaseRecords } from '../driver/base-records.ts';
import { deviceOf } from '../driver/fleet.ts';
import { measureLoad, rateOf } from '../driver/measured-load.ts';
import { startServer } from '../driver/server.ts';

/** The evaluation of conditions with many devices and gateways, a tenth of them with a condition, and its page. */
export const attention: Case = async (bench) => {
  // The rows are written into the embedded database: through the API they would take minutes.
  await using server = await startServer({ ...bench, database: 'sqlite' });
  const ground = await createBaseRecords(server.client);
  const counts = bench.quick ? { devices: 10_000, gateways: 100 } : { devices: 100_000, gateways: 1000 };
  const first = 'a000000000000001';
  await server.client.device.create({ device: { ...deviceOf(first, ground, ground.profiles.joining), name: 'first' } });
  bench.say(`writing ${counts.devices} devices and ${counts.gateways} gateways`);
  copyRows(join(server.hilltop.data, 'hilltop.db'), { first, gatewayID: ground.gatewayIDs[0]!, ...counts });
  const evaluations: number[] = [];
  while (evaluations.length < 2) {
    const seconds = await nextEvaluation(server.hilltop.url);
    bench.say(`evaluation: ${seconds.toFixed(3)} s`);
    evaluations.push(seconds);
  }
  const page = await measureLoad(server, {
    seconds: bench.quick ? 2 : 4,
    connections: 1,
    callsOf: () => [{ method: 'GET', path: `/api/attention?limit=5&organizationID=${ground.organizationID}` }],
  });
  if (page.failures > 0) throw new Error(`The page failed: ${page.firstFailure}`);
  // The second filter matches all devices and differs from call to call, so that nothing is counted before.
  const counting = await measureLoad(server, {
    seconds: bench.quick ? 2 : 4,
    connections: 1,
    callsOf: (turn) => [
      {
        method: 'GET',
        path: `/api/device-counts?organizationID=${ground.organizationID}&filter=condition:is:LOW_BATTERY&filter=tag.none:not:${turn}`,
      },
    ],
  });
  if (counting.failures > 0) throw new Error(`Counting failed: ${counting.firstFailure}`);
  const what = `${counts.devices.toLocaleString('en')} devices and ${counts.gateways.toLocaleString('en')} gateways`;
  const [opening = 0, repeated = 0] = evaluations;
  return {
    rows: [
      {
        work: `evaluation of ${what}, first and next`,
        before: '-',
        target: '1 s',
        ours: `${opening.toFixed(2)} s, ${repeated.toFixed(2)} s`,
      },
      { work: 'page of what needs attention', before: '-', target: 'p99 50 ms', ours: rateOf(page) },
      { work: 'counts of devices with a condition', before: '-', target: 'p99 100 ms', ours: rateOf(counting) },
    ],
    measured: { ...counts, evaluations, page, counting },
  };
};

/** The duration of the next evaluation in seconds. */
async function nextEvaluation(url: string): Promise<number> {
  const read = async () => {
    const text = await (await fetch(`${url}/metrics`)).text();
    return Number(/^hilltop_condition_evaluation_seconds (\S+)/m.exec(text)?.[1] ?? 0);
  };
  const before = await read();
  for (;;) {
    await sleep(1000);
    const seconds = await read();
    if (seconds !== before) return seconds;
  }
}

interface Wanted {
  first: string;
  gatewayID: string;
  devices: number;
  gateways: number;
}

/** Copies of a device and a gateway. Every second device has lost uplinks, every tenth one is silent or has another condition. */
function copyRows(file: string, { first, gatewayID, devices, gateways }: Wanted): void {
  using database = new DatabaseSync(file, { timeout: 60_000 });
  const columnsOf = (table: string) =>
    database
      .prepare(`select name from pragma_table_info('${table}')`)
      .all()
      .map(({ name }) => String(name));
  const copy = (table: string, changed: Record<string, string>, count: number, where: string) => {
    const columns = columnsOf(table);
    database.exec(`with recursive turn(n) as (select 1 union all select n + 1 from turn where n < ${count})
      insert into ${table} (${columns.join(', ')})
      select ${columns.map((name) => changed[name] ?? name).join(', ')} from ${table}, turn where ${where}`);
  };
  database.exec('begin immediate');
  const ago = (hours: string) => `strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-' || (${hours}) || ' hours')`;
  const seen = ago('case n % 20 when 0 then 30 else 0 end');
  copy(
    'device',
    {
      dev_eui: "printf('%016x', 1000000000 + (n * 2654435761) % 4294967296)",
      name: "'device-' || n",
      search_text: "'device-' || n",
      dev_addr: "'01020304'",
      last_seen_at: seen,
      seen_mark: seen,
      lost_bits: 'n % 2 * 5',
      battery_level: 'case n % 20 when 1 then 10 else 90 end',
    },
    devices,
    `dev_eui = '${first}'`,
  );
  copy(
    'gateway',
    {
      id: "printf('b%015x', n)",
      name: "'gateway-' || n",
      search_text: "'gateway-' || n",
      created_at: ago('n % 10 * 5'),
    },
    gateways,
    `id = '${gatewayID}'`,
  );
  database.exec('commit');
}
