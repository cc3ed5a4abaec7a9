import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Case, Outcome } from '../case.ts';
import { createBaseRecords, numbered } from '../driver/base-records.ts';
import { measureLoad, rateOf } from '../driver/measured-load.ts';
import { type BenchServer, startServer } from '../driver/server.ts';

const organizations = 50;
const people = 100;
const devices = 200_000;
const operations = ['device.update', 'device.create', 'device.delete', 'gateway.update', 'internal.login'];
/** Of the entries, evenly. */
const days = 300;
const slice = 250_000;

/** Pages of the audit log among ten million entries, one call at a time. */
export const audit: Case = async (bench) => {
  await using server = await startServer(bench);
  const { organizationID } = await createBaseRecords(server.client);
  const rows = bench.quick ? 500_000 : 10_000_000;
  bench.say(`writing ${rows} entries`);
  const endMs = Date.now();
  const stepMs = (days * 86_400_000) / rows;
  insertEntries(server, { rows, startMs: endMs - rows * stepMs, stepMs, organizationID });
  const of = `audit?organizationID=${organizationID}`;
  // A cursor at a random time.
  const before = (turn: number) => `before=${Math.round(endMs - ((turn * 7919) % days) * 86_400_000)}-1`;
  const pages: Record<string, (turn: number) => string> = {
    'newest page': () => 'audit',
    'page of an organization': (turn) => `${of}&${before(turn)}`,
    'page of a subject': (turn) => `audit?subject=device/${numbered('70b3d5', (turn * 7919) % devices, 16)}`,
    'page of a person': (turn) => `audit?actor=person-${turn % people}@example.org&${before(turn)}`,
    'page of one operation of an organization': (turn) => `${of}&operation=gateway.update&${before(turn)}`,
    'page of one operation': (turn) => `audit?operation=device.delete&${before(turn)}`,
    'changes of an organization': (turn) => `${of}&changesOnly=true&${before(turn)}`,
    'last change of a device': (turn) =>
      `${of}&changesOnly=true&limit=1&subject=device/${numbered('70b3d5', (turn * 7919) % devices, 16)}`,
  };
  const measured: Record<string, unknown> = { rows };
  const table: Outcome['rows'] = [];
  for (const [what, pathOf] of Object.entries(pages)) {
    const result = await measureLoad(server, {
      ...{ seconds: bench.quick ? 2 : 4, connections: 1 },
      callsOf: (turn) => [{ method: 'GET', path: `/api/${pathOf(turn)}` }],
    });
    if (result.failures > 0) throw new Error(`${what} failed: ${result.firstFailure}`);
    bench.say(`${what}: ${rateOf(result)}`);
    measured[what] = result;
    const work = `audit log, ${what} among ${rows.toLocaleString('en')}`;
    table.push({ work, before: '-', target: 'p99 20 ms', ours: rateOf(result) });
  }
  return { rows: table, measured };
};

interface Entries {
  rows: number;
  startMs: number;
  stepMs: number;
  organizationID: string;
}

/** By SQL, into the database of the server that runs. */
function insertEntries({ hilltop, postgres }: BenchServer, entries: Entries): void {
  if (postgres) {
    execFileSync('psql', [postgres.url, '-qc', insert('postgres', { ...entries, from: 0, to: entries.rows })]);
    execFileSync('psql', [postgres.url, '-qc', 'analyze audit']);
    return;
  }
  using database = new DatabaseSync(join(hilltop.data, 'hilltop.db'), { timeout: 30_000 });
  for (let from = 0; from < entries.rows; from += slice)
    database.exec(insert('sqlite', { ...entries, from, to: Math.min(entries.rows, from + slice) }));
}

/** Numbers `n` of entries from `from` to before `to`: one of `organizations` is the organization of the case. */
function insert(
  kind: 'sqlite' | 'postgres',
  { startMs, stepMs, organizationID, from, to }: Entries & { from: number; to: number },
): string {
  const ms = `${startMs} + n * ${stepMs}`;
  const numbers =
    kind === 'postgres'
      ? `select n from generate_series(${from}::int8, ${to - 1}) as n`
      : `with recursive counted(n) as (select ${from} union all select n + 1 from counted where n < ${to - 1}) select n from counted`;
  const at =
    kind === 'postgres'
      ? `to_timestamp((${ms}) / 1000.0)`
      : `strftime('%Y-%m-%dT%H:%M:%fZ', (${ms}) / 1000.0, 'unixepoch')`;
  const hex = kind === 'postgres' ? `lpad(to_hex(n * 7 % ${devices}), 10, '0')` : `printf('%010x', n * 7 % ${devices})`;
  const operation = operations.map((name, at) => `when ${at} then '${name}'`).join(' ');
  const changes = JSON.stringify({ changes: [{ field: 'name', before: 'a former name', after: 'another name' }] });
  return `insert into audit (at, actor_kind, actor_id, actor_name, address, organization_id, operation, subject,
      subject_name, changes, outcome, request_id, job_id)
    select ${at}, 'USER', '1', 'person-' || (n % ${people}) || '@example.org', '192.0.2.1',
      case n % ${organizations} when 0 then ${organizationID} else 1000 + n % ${organizations} end,
      case (n / ${organizations}) % ${operations.length} ${operation} end, 'device/70b3d5' || ${hex}, 'device ' || n, '${changes}',
      'OK', 'a-request-of-the-log', ''
    from (${numbers}) as numbers`;
}
