import { randomBytes } from 'node:crypto';
import type { Config } from '../config.ts';
import type { Database } from '../database/database.ts';
import { hashPassword } from '../passwords/password.ts';
import type { Secrets } from '../secrets.ts';
import { type ImportPass, noImportedRecords, type PassMemory } from './migrate/import-pass.ts';
import { defaultUserEmail } from './migrate/users.ts';
import { type Phase, phases } from './phases.ts';
import { reportNeverImported } from './report/never-imported.ts';
import { createReport, type Report, type ReportBook } from './report/report.ts';
import { pointNetworkServersHere } from './routing-profiles.ts';
import { operatorAccess } from './source/source-access.ts';
import { openSources, type Sources } from './sources.ts';
import { updateDerivedCounts } from './target/counts.ts';
import { beginImport, type ImportProgress } from './target/progress.ts';
import { createRowDigests, digestOfName } from './target/row-digests.ts';
import { keyOf, type TargetName, type TargetRow, type TargetTable, targetTables } from './target/target-rows.ts';
import { type KeySet, TargetWriter, type WriteOutcome } from './target/target-writer.ts';

/** The options of an operator. */
export interface ImportOptions {
  /** Path of the settings file of the application server. */
  config: string;
  /** Paths of the settings files of the network servers that become embedded ones. */
  networkServerConfigs: readonly string[];
  downlinkMargin: number;
  /** Whether the old servers have been stopped, so that this pass is the last one. */
  isFinal: boolean;
}

export interface ImportTarget {
  config: Config;
  database: Database;
  secrets: Secrets;
}

export interface ImportContext {
  now: () => Date;
  /** Called with a line for each step. */
  print: (line: string) => void;
  /** Shows a password that the import created. It is not stored. */
  showOnce: (email: string, password: string) => void;
}

/** Reads all of version 3 and reports what an import would do. Writes nothing. */
export async function dryRun(choice: ImportOptions, context: ImportContext, reach = operatorAccess): Promise<Report> {
  const report = createReport();
  await using sources = await openSources(choice, report, reach);
  if (sources.opened) reportNeverImported(report, false);
  if (sources.opened) await readAll(createPass(sources.opened, choice, report, context), context);
  return report.report();
}

/**
 * Imports version 3 into an empty Hilltop, or the changes since an earlier pass, and reads every written row again. A
 * dry run before the first write finds all problems. Throws StartError for a Hilltop in use. The passes of one process
 * share `memory`.
 */
export async function importAll(
  choice: ImportOptions,
  target: ImportTarget,
  context: ImportContext,
  memory?: PassMemory,
): Promise<Report> {
  const report = createReport();
  const { now } = context;
  await using sources = await openSources(choice, report);
  const { opened } = sources;
  if (!opened) return report.report();
  const progress = await beginImport({ ...target, now }, opened);
  // The last pass must be short and does not repeat the dry run of an earlier one.
  if (!progress.hasCopied) {
    const found = createReport();
    await readAll(createPass(opened, choice, found, context), context);
    if (found.isStopped()) return withFindingsOf(report, found).report();
  }
  const isShort = choice.isFinal && progress.hasCopied;
  const passChoice: PassChoice = { ...choice, isShort, memory };
  reportNeverImported(report, isShort);
  await writeAll(
    createPass(opened, passChoice, report, context),
    new TargetWriter(target, memory?.rows),
    progress,
    context,
  );
  await updateDerivedCounts(target.database);
  if (report.isStopped()) return report.report();
  await progress.copied();
  if (choice.isFinal) {
    await pointNetworkServersHere(target, report);
    const newPasswordByEmail = await newPasswords(target.database, opened.passwords);
    await progress.finished();
    for (const [email, password] of newPasswordByEmail) context.showOnce(email, password);
  }
  return report.report();
}

/** New passwords by e-mail address, for users with a publicly known password. */
async function newPasswords(
  database: Database,
  passwords: ReadonlyMap<string, string | null>,
): Promise<Map<string, string>> {
  const newPasswordByEmail = new Map<string, string>();
  if (![...passwords.values()].includes(null)) return newPasswordByEmail;
  const password = randomBytes(12).toString('base64url');
  const hash = await hashPassword(password, 'import');
  const users = database.query.updateTable('user').set({ password_hash: hash, has_generated_password: true });
  await users.where('email', '=', defaultUserEmail).execute();
  return newPasswordByEmail.set(defaultUserEmail, password);
}

type Opened = NonNullable<Sources['opened']>;
type PassChoice = ImportOptions & { isShort?: boolean; memory?: PassMemory | undefined };

function createPass(opened: Opened, passChoice: PassChoice, report: ReportBook, { now }: ImportContext): ImportPass {
  const { downlinkMargin, isFinal, isShort = false, memory } = passChoice;
  return { ...opened, report, now: now(), downlinkMargin, isFinal, isShort, memory, imported: noImportedRecords() };
}

const phasesOf = ({ isShort }: ImportPass): Phase[] =>
  phases.filter(({ skippedByLastPass }) => !(isShort && skippedByLastPass));

async function readAll(pass: ImportPass, { print }: ImportContext): Promise<void> {
  for (const { name, run } of phasesOf(pass)) {
    print(`reading ${name}`);
    for await (const batch of run(pass)) for (const { table } of batch) countAs(pass.report, table, 'new', 1);
  }
}

async function writeAll(
  pass: ImportPass,
  writer: TargetWriter,
  progress: ImportProgress,
  { print }: ImportContext,
): Promise<void> {
  const { report } = pass;
  const seenKeysByTable = new Map<TargetName, SeenKeys>();
  const findProblem = (name: string, problem: string, nameInReport?: string) =>
    report.find(
      pass.isFinal ? 'stops' : 'notice',
      name,
      `verification failed, ${problem}: run the import again`,
      nameInReport,
    );
  for (const { name, run } of phasesOf(pass)) {
    await progress.phase(name);
    print(`writing ${name}`);
    const reportOutcome = (wanted: TargetRow, outcome: WriteOutcome) => {
      if (outcome === 'kept')
        report.find(
          'notice',
          name,
          'Hilltop has changed it since the import, so it is not overwritten',
          wanted.nameInReport,
        );
      else countAs(report, wanted.table, outcome, 1);
    };
    const reportProblem = ({ table, nameInReport }: TargetRow, problem: string) =>
      findProblem(name, `a row of ${table} ${problem}`, nameInReport);
    for await (const batch of readAhead(run(pass))) {
      rememberKeys(seenKeysByTable, batch);
      await writer.store(batch, reportOutcome, reportProblem);
    }
  }
  await progress.phase('removals');
  for (const table of Object.keys(targetTables).reverse() as TargetName[]) {
    const { follows }: TargetTable = targetTables[table];
    if (!follows) continue;
    const { removed, missing } = await writer.removeOthers(table, seenKeysByTable.get(table) ?? new Set<string>());
    countAs(report, table, 'gone', removed);
    if (missing > 0) findProblem(table, `${missing} rows of ${table} are missing`);
  }
}

/** Yields the same batches, but reads each while the previous one is written. */
async function* readAhead(batches: AsyncGenerator<TargetRow[]>): AsyncGenerator<TargetRow[]> {
  let next = batches.next();
  for (;;) {
    const { done, value } = await next;
    if (done) return;
    next = batches.next();
    // The error is thrown when the batch is awaited.
    next.catch(() => undefined);
    yield value;
  }
}

function countAs(report: ReportBook, table: TargetName, what: 'new' | 'changed' | 'same' | 'gone', more: number): void {
  const name = countNames[table];
  if (name) report.count(name)[what] += more;
}

/** Keys of rows, as digests: there may be half a million. */
interface SeenKeys extends KeySet {
  add: (key: string) => void;
}

function seenKeys(): SeenKeys {
  const digests = createRowDigests();
  return {
    get size() {
      return digests.size;
    },
    has: (key) => digests.get(digestOfName(key)) !== undefined,
    add: (key) => digests.set(digestOfName(key), 1),
  };
}

function rememberKeys(seenKeysByTable: Map<TargetName, SeenKeys>, batch: readonly TargetRow[]): void {
  for (const { table, values } of batch) {
    const { follows }: TargetTable = targetTables[table];
    if (!follows) continue;
    let keys = seenKeysByTable.get(table);
    if (!keys) seenKeysByTable.set(table, (keys = seenKeys()));
    keys.add(keyOf(table, values));
  }
}

/** The names under which rows are counted in the report. Rows of other tables are not counted. */
const countNames: Partial<Record<TargetName, string>> = {
  network_server: 'network-servers',
  user: 'users',
  organization: 'organizations',
  organization_user: 'organization users',
  service_profile: 'service-profiles',
  device_profile: 'device-profiles',
  gateway_profile: 'gateway-profiles',
  application: 'applications',
  api_key: 'API keys',
  integration: 'integrations',
  gateway: 'gateways',
  device: 'devices',
  multicast_group: 'multicast-groups',
  multicast_group_device: 'multicast-group devices',
  ns_activation: 'join nonces',
  ns_session: 'sessions',
  ns_queue_item: 'queued downlinks',
  metric: 'statistics',
};

function withFindingsOf(report: ReportBook, found: ReportBook): ReportBook {
  const { counts, findings } = found.report();
  for (const count of counts) Object.assign(report.count(count.what), count);
  for (const { kind, what, because, examples } of findings)
    for (const example of examples.length > 0 ? examples : [undefined]) report.find(kind, what, because, example);
  return report;
}
