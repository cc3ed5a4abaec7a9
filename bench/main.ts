/** `npm run bench [-- --quick] [-- CASE ...]`: measures the product and prints the figures next to their targets. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Bench, Case, Outcome } from './case.ts';
import { alerts } from './cases/alerts.ts';
import { attention } from './cases/attention.ts';
import { audit } from './cases/audit.ts';
import { backup } from './cases/backup.ts';
import { bridges } from './cases/bridges.ts';
import { clockJumps } from './cases/clock-jumps.ts';
import { codecRuns } from './cases/codec-runs.ts';
import { compare } from './cases/compare.ts';
import { consoleBytes } from './cases/console.ts';
import { deliveries } from './cases/deliveries.ts';
import { downlinks } from './cases/downlinks.ts';
import { endpoints } from './cases/endpoints.ts';
import { fileImports } from './cases/file-imports.ts';
import { floods } from './cases/floods.ts';
import { grpc } from './cases/grpc.ts';
import { history } from './cases/history.ts';
import { historyKills } from './cases/history-kills.ts';
import { importV3 } from './cases/import-v3.ts';
import { jobKills, jobs } from './cases/jobs.ts';
import { joins } from './cases/joins.ts';
import { kills } from './cases/kills.ts';
import { lighthouseScores } from './cases/lighthouse.ts';
import { map } from './cases/map.ts';
import { mqtt } from './cases/mqtt.ts';
import { outages } from './cases/outages.ts';
import { rest } from './cases/rest.ts';
import { restart } from './cases/restart.ts';
import { scale } from './cases/scale.ts';
import { screens } from './cases/screens.ts';
import { search } from './cases/search.ts';
import { soaks } from './cases/soak.ts';
import { start } from './cases/start.ts';
import { stations } from './cases/stations.ts';
import { uplinks } from './cases/uplinks.ts';
import { machine } from './machine.ts';
import { type BenchOptions, readOptions } from './options.ts';
import { tableOf } from './table.ts';

const cases: Record<string, Case> = {
  uplinks,
  stations,
  mqtt,
  bridges,
  joins,
  downlinks,
  deliveries,
  endpoints,
  rest,
  grpc,
  start,
  restart,
  'codec-runs': codecRuns,
  console: consoleBytes,
  jobs,
  search,
  attention,
  screens,
  map,
  'import-v3': importV3,
  'file-imports': fileImports,
  alerts,
  backup,
  audit,
};
/** Cases that run only when they or their kind are named: they take long, or have to download Lighthouse. */
const lighthouse: Record<string, Case> = { lighthouse: lighthouseScores };
const stored: Record<string, Case> = { history };
const faults: Record<string, Case> = {
  kills,
  'history-kills': historyKills,
  'job-kills': jobKills,
  outages,
  'clock-jumps': clockJumps,
  floods,
};
const compared: Record<string, Case> = { compare };
const kinds: Record<string, Record<string, Case>> = {
  faults,
  soak: soaks,
  scale,
  lighthouse,
  history: stored,
  compare: compared,
};
const results = fileURLToPath(new URL('results/', import.meta.url));

const options = given();
const named = options.names.flatMap((name) => Object.keys(kinds[name] ?? { [name]: true }));
const known = { ...cases, ...faults, ...soaks, ...scale, ...lighthouse, ...stored, ...compared };
const unknown = named.find((name) => !Object.hasOwn(known, name));
if (unknown !== undefined) {
  const choice = [...Object.keys(cases), ...Object.entries(kinds).flatMap(([kind, of]) => [kind, ...Object.keys(of)])];
  console.error(`There is no case ${unknown}. Choose from ${choice.join(', ')}, or none for all before faults.`);
  process.exit(1);
}

if (options.cores !== undefined) pin(options.cores);
const bench: Bench = {
  ...options,
  settings: {
    ...(options.profile && { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${results}profiles` }),
    ...(options.threads !== undefined && { HILLTOP_THREADS: String(options.threads) }),
  },
  say: (line) => console.log(`  ${line}`),
};
const facts = machine();
const pinned = options.cores === undefined ? '' : ` (driver, servers and databases share ${options.cores} of them)`;
console.log(`${facts.processor}, ${facts.cores} cores${pinned}, ${facts.memoryGB} GB, Node ${facts.node}`);

const outcomes: Record<string, Outcome | { failed: string }> = {};
for (const name of named.length > 0 ? named : Object.keys(cases)) {
  console.log(`${name} ...`);
  try {
    outcomes[name] = await known[name]!(bench);
  } catch (error) {
    outcomes[name] = { failed: (error as Error).message };
    console.error(`  ${name} failed: ${(error as Error).message}`);
    process.exitCode = 1;
  }
}

const rows = Object.values(outcomes).flatMap((outcome) => ('rows' in outcome ? outcome.rows : []));
console.log(`\n${tableOf(rows)}`);
for (const { work, target, ours } of rows.filter(({ isBroken }) => isBroken)) {
  console.error(`Broken: ${work} is ${ours}, and must be ${target}.`);
  process.exitCode = 1;
}
mkdirSync(results, { recursive: true });
const at = new Date().toISOString();
const file = `${results}${at.replaceAll(':', '-').slice(0, 19)}.json`;
writeFileSync(
  file,
  JSON.stringify(
    { at, quick: bench.quick, cores: options.cores, threads: options.threads, machine: facts, outcomes },
    null,
    2,
  ),
);
console.log(`\nAll figures: ${file}`);

function given(): BenchOptions {
  try {
    return readOptions(process.argv.slice(2));
  } catch (error) {
    console.error((error as Error).message);
    process.exit(1);
  }
}

/** Limits this process, and so all that it starts, to the first cores. */
function pin(cores: number): void {
  const all = availableParallelism();
  if (cores > all) {
    console.error(`--cores ${cores}: this machine has ${all}.`);
    process.exit(1);
  }
  execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', `0-${cores - 1}`, String(process.pid)]);
}
