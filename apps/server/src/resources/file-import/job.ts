import { type FileImportKind, importKeys, invalidFields, isSameJSON, notFound, refusal } from '@hilltop/contract';
import type { Database } from '../../database/database.ts';
import { checkAccess } from '../../identity/access.ts';
import type { JobKind, JobOrder, JobSubject, RowCaller, RowChange } from '../job/kind.ts';
import { type DeviceImportDependencies, devices } from './devices.ts';
import { type GatewayImportDependencies, gateways } from './gateways.ts';
import type { ImportedKind } from './kind.ts';
import type { ImportPlan, RowProblem } from './plan.ts';
import { loadRow, removeRow, rowsOf } from './store.ts';
import { valuesOf } from './values.ts';

/** What a job of an import needs. */
interface ImportJob {
  readonly importID: string;
}

type Order = JobOrder<ImportJob>;
type ImportDependencies = DeviceImportDependencies & GatewayImportDependencies;

/** The jobs that run imports, by their names. */
export function importJobKinds(needs: ImportDependencies) {
  return {
    IMPORT_DEVICES: importJobKind(needs, devices),
    IMPORT_GATEWAYS: importJobKind(needs, gateways),
  };
}

const auditSubjects = { DEVICES: 'device', GATEWAYS: 'gateway' } as const;

function importJobKind<Needs, Names, Before, Made>(
  needs: ImportDependencies & Needs,
  imported: ImportedKind<Needs, Names, Before, Made>,
): JobKind<ImportJob> {
  const prepared = preparation(needs, imported);
  return {
    // They depend on the row, so that `run` decides them.
    access: () => [],
    audit: () => ({ subject: auditSubjects[imported.kind], operation: 'fileImport.start' }),
    subjects: (order) => subjectsOf(needs, imported.kind, order.parameters.importID),
    run: (row, order, caller) => runRow({ needs, imported, prepared }, row, order, caller),
    undo: (row, _order, caller) => undoRow({ needs, imported }, row, caller),
  };
}

/** The rows that the check has passed. */
async function* subjectsOf(
  needs: ImportDependencies,
  kind: FileImportKind,
  importID: string,
): AsyncGenerator<JobSubject[]> {
  const plan = await loadPlan(needs, importID);
  for await (const rows of rowsOf(needs, importID))
    yield rows
      .filter(({ outcome }) => outcome === null)
      .map(({ number, cells }) => {
        const { values } = valuesOf(kind, cells, plan);
        return { subject: values.get(importKeys[kind])!, name: values.get('name') ?? '', input: String(number) };
      });
}

async function loadPlan({ database }: ImportDependencies, importID: string): Promise<ImportPlan> {
  const row = await database.query
    .selectFrom('file_import')
    .select('plan')
    .where('id', '=', importID)
    .executeTakeFirst();
  if (!row) throw notFound('import', importID);
  return JSON.parse(row.plan) as ImportPlan;
}

/** Rows share the plan and the names of other records for this long. */
const preparedMs = 2_000;

/** What all rows of an import need. */
function preparation<Names>(
  needs: ImportDependencies,
  { loadNames }: { loadNames: (database: Database, organizationID: number) => Promise<Names> },
) {
  let last: { importID: string; plan: ImportPlan; names: Names; untilMs: number } | undefined;
  return async (importID: string, organizationID: number) => {
    const now = needs.clock.monotonicMs();
    if (last?.importID === importID && last.untilMs > now) return last;
    const plan = await loadPlan(needs, importID);
    const names = await loadNames(needs.database, organizationID);
    last = { importID, plan, names, untilMs: now + preparedMs };
    return last;
  };
}

interface RowRun<Needs, Names, Before, Made> {
  needs: ImportDependencies & Needs;
  imported: ImportedKind<Needs, Names, Before, Made>;
  prepared: (importID: string, organizationID: number) => Promise<{ plan: ImportPlan; names: Names }>;
}

/** Creates or updates the record of a row, and removes the row. All of it is one transaction with its outcome. */
async function runRow<Needs, Names, Before, Made>(
  { needs, imported, prepared }: RowRun<Needs, Names, Before, Made>,
  { input }: JobSubject,
  { organizationID, parameters: { importID } }: Order,
  { principal }: RowCaller,
): Promise<RowChange | undefined> {
  const { database } = needs;
  const number = Number(input);
  const row = await loadRow(needs, importID, number);
  if (!row) throw refusal('IMPORT_ROW_GONE');
  const { plan, names } = await prepared(importID, organizationID!);
  const { values, removed, problems } = valuesOf(imported.kind, row.cells, plan);
  refuseProblems(problems);
  const key = values.get(importKeys[imported.kind])!;
  const found = (await imported.findExisting(database, organizationID!, [key])).get(key);
  if (found === 'inOtherOrganization' || (found && plan.whenExists === 'REFUSE'))
    throw refusal('ALREADY_EXISTS', { resource: imported.called });
  await removeRow(database, importID, number);
  if (found && plan.whenExists === 'SKIP') return undefined;
  const before = found && (await imported.loadWhole(needs, key));
  const read = imported.read(values, { names, organizationID: String(organizationID), removed }, before);
  refuseProblems(read.problems);
  const { operation, request } = imported.callFor(read.record!, !found);
  await checkAccess(needs, operation, request, principal);
  await (found ? imported.update(needs, read.record!) : imported.create(needs, read.record!));
  return found ? undefined : { before: null, after: await imported.stateOf(database, key) };
}

function refuseProblems(problems: readonly RowProblem[]): void {
  if (problems.length > 0) throw invalidFields(problems.map(({ field, text }) => ({ field, description: text })));
}

/** Removes a record that the import has created, unless somebody has changed or heard it. */
async function undoRow<Needs, Names, Before, Made>(
  { needs, imported }: Pick<RowRun<Needs, Names, Before, Made>, 'needs' | 'imported'>,
  { subject, after }: JobSubject & RowChange,
  { principal }: RowCaller,
): Promise<undefined> {
  const { operation, request } = imported.callToRemove(subject);
  await checkAccess(needs, operation, request, principal);
  const state = await imported.stateOf(needs.database, subject);
  if (!state || !isSameJSON(JSON.parse(JSON.stringify(state)), after)) throw refusal('CHANGED_SINCE');
  await imported.remove(needs, subject, principal);
}
