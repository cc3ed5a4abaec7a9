import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import {
  type Field,
  type FileImport,
  type FileImportKind,
  type FileImportRow,
  importAccess,
  importFields,
  importKeys,
  invalidFields,
  type Operation,
  type Operations,
  operations,
  type RequestOf,
  refusal,
} from '@hilltop/contract';
import type { Handlers } from '../../http/call.ts';
import { toID } from '../../identifiers.ts';
import { checkAccess } from '../../identity/access.ts';
import type { Principal } from '../../identity/principals.ts';
import { createTableReader } from '../../table-files/read.ts';
import type { TableFile } from '../../table-files/table.ts';
import type { Jobs } from '../job/jobs.ts';
import { createKeyedSerializer } from '../keyed-serializer.ts';
import { type AnyKind, checkRows } from './check.ts';
import { type DeviceImportDependencies, devices } from './devices.ts';
import { type GatewayImportDependencies, gateways } from './gateways.ts';
import { guessColumns } from './guess.ts';
import { checkPlan, type ImportPlan, mayBeConstant } from './plan.ts';
import {
  emptyPlan,
  type ImportCounts,
  type ImportRecord,
  insertImport,
  insertRows,
  loadImport,
  pageOfRows,
  removeImport,
  removeRows,
  slice,
  updateImport,
} from './store.ts';
import { valuesOf } from './values.ts';

type FileImportDependencies = DeviceImportDependencies & GatewayImportDependencies & { jobs: Pick<Jobs, 'create'> };

const kinds = { DEVICES: devices, GATEWAYS: gateways } as unknown as Readonly<Record<FileImportKind, AnyKind>>;

const personOf = (principal: Principal) => `${principal!.kind} ${principal!.id}`;

/** Imports of devices and gateways from files. Only their uploader sees the rows, which may have keys. */
export function fileImportRoutes(needs: FileImportDependencies): Handlers<Operations['fileImport']> {
  const { database, clock, jobs } = needs;
  const readTable = createTableReader();
  const oneByOne = createKeyedSerializer();

  async function mayImport(kind: FileImportKind, organizationID: string, principal: Principal): Promise<void> {
    const operation: Operation = { ...operations.fileImport.create, access: importAccess[kind] };
    await checkAccess(needs, operation, { organizationID }, principal);
  }

  /** The import of the caller, who must still have the right to import. */
  async function load(id: string, principal: Principal): Promise<ImportRecord> {
    const record = await loadImport(database, id, personOf(principal));
    await mayImport(record.kind as FileImportKind, String(record.organization_id), principal);
    return record;
  }

  const loadWaiting = async (id: string, principal: Principal) => {
    const record = await load(id, principal);
    if (record.job_id !== null) throw refusal('IMPORT_STARTED');
    return record;
  };

  return {
    create: async ({ organizationID, kind }, { principal }) => {
      await mayImport(kind, organizationID, principal);
      const of = { organizationID: toID(organizationID, 'organization'), kind, person: personOf(principal) };
      return toImport(await insertImport(database, of, clock.now()), []);
    },

    upload: async ({ id, name, file }, { principal }) => {
      await loadWaiting(id, principal);
      const table = await readTable(Buffer.from(file ?? '', 'base64'));
      return oneByOne(id, async () => {
        const record = await loadWaiting(id, principal);
        await replaceTable(needs, record, { name, table });
        return withSamples(needs, await load(id, principal));
      });
    },

    update: ({ id, ...changes }, { principal }) =>
      oneByOne(id, async () => {
        const record = await loadWaiting(id, principal);
        const kind = record.kind as FileImportKind;
        const plan = checkedPlan(record, changes);
        // The entry of the audit log is written with it.
        await database.transaction(async () =>
          updateImport(database, id, { plan: JSON.stringify(plan), counts: null }),
        );
        const counts = await checkRows(needs, kinds[kind], { record, plan, principal });
        await updateImport(database, id, { counts: JSON.stringify(counts) });
        return withSamples(needs, await load(id, principal));
      }),

    get: async ({ id }, { principal }) => withSamples(needs, await load(id, principal)),

    listRows: async ({ id, ...page }, { principal }) => {
      const record = await load(id, principal);
      const { totalCount, rows } = await pageOfRows(needs, id, page);
      const shown = rows.map(({ outcome: _own, ...row }) => row);
      return { totalCount: String(totalCount), result: await withOutcomes(database, record, shown) };
    },

    start: ({ id }, { principal }) =>
      oneByOne(id, async () => {
        const record = await loadWaiting(id, principal);
        const { id: jobID } = await jobs.create(jobOf(record), principal!);
        await updateImport(database, id, { job_id: jobID });
        return { jobID };
      }),

    delete: ({ id }, { principal }) =>
      oneByOne(id, async () => {
        await load(id, principal);
        await removeImport(database, id);
        return {};
      }),
  };
}

/** The job that imports the rows. Throws when none can be imported. */
function jobOf({ id, kind, organization_id: organizationID, counts }: ImportRecord) {
  const checked = counts === null ? undefined : (JSON.parse(counts) as ImportCounts);
  if (!checked || checked.createCount + checked.updateCount === 0) throw refusal('IMPORT_NOT_CHECKED');
  return {
    kind: `IMPORT_${kind as FileImportKind}` as const,
    organizationID,
    parameters: { importID: id },
    requestID: id,
  };
}

/** The plan that a caller has set for the columns of the file. Throws when it does not fit. */
function checkedPlan(
  { file_name, kind, plan: former }: ImportRecord,
  { columns, constants, namePattern, whenExists }: Omit<RequestOf<typeof operations.fileImport.update>, 'id'>,
): ImportPlan {
  if (file_name === '') throw refusal('IMPORT_NO_FILE');
  const before = JSON.parse(former) as ImportPlan;
  if (columns.length !== before.columns.length) {
    const description = `Must have ${before.columns.length} entries, one for each column of the file.`;
    throw invalidFields([{ field: 'columns', description }]);
  }
  const named = columns.map((column, at) => ({ name: before.columns[at]!.name, ...column }));
  const plan: ImportPlan = { columns: named, constants, namePattern, whenExists };
  checkPlan(kind as FileImportKind, plan);
  return plan;
}

/** Replaces the rows of an import by those of a file. Until all are stored it has no file. */
async function replaceTable(
  needs: FileImportDependencies,
  { id, kind }: ImportRecord,
  { name, table }: { name: string; table: TableFile },
): Promise<void> {
  const { database } = needs;
  const none = { file_name: '', row_count: 0, plan: JSON.stringify(emptyPlan), counts: null };
  // The entry of the audit log is written with it.
  await database.transaction(async () => updateImport(database, id, none));
  await removeRows(database, id);
  for (let at = 0; at < table.rows.length; at += slice) {
    await insertRows(needs, id, table.rows.slice(at, at + slice));
    await yieldToEventLoop();
  }
  const plan = { ...emptyPlan, columns: guessColumns(kind as FileImportKind, table) };
  await updateImport(database, id, {
    file_name: name || 'pasted text',
    row_count: table.rows.length,
    plan: JSON.stringify(plan),
  });
}

const sampleRows = 3;

async function withSamples(needs: FileImportDependencies, record: ImportRecord): Promise<FileImport> {
  const { rows } = await pageOfRows(needs, record.id, { problemsOnly: false, limit: sampleRows, offset: 0 });
  return toImport(
    record,
    rows.map(({ cells }) => cells),
  );
}

/** Adds why the job did not import a row. */
async function withOutcomes(
  { query }: FileImportDependencies['database'],
  record: ImportRecord,
  rows: FileImportRow[],
): Promise<FileImportRow[]> {
  const { job_id: jobID } = record;
  if (jobID === null || rows.length === 0) return rows;
  const kind = record.kind as FileImportKind;
  const plan = JSON.parse(record.plan) as ImportPlan;
  const keys = new Map(rows.map((row) => [row, valuesOf(kind, row.cells, plan).values.get(importKeys[kind]) ?? '']));
  const found = await query
    .selectFrom('job_row')
    .select(['subject', 'message'])
    .where('job_id', '=', jobID)
    .where('outcome', 'in', ['REFUSED', 'FAILED'])
    .where('subject', 'in', [...keys.values()])
    .execute();
  const messages = new Map(found.map(({ subject, message }) => [subject, message]));
  return rows.map((row) => {
    const text = row.problems.length > 0 ? undefined : messages.get(keys.get(row)!);
    return text === undefined ? row : { ...row, problems: [{ field: '', text }] };
  });
}

/** What a column or a constant can be. */
function fieldsOf(kind: FileImportKind): FileImport['fields'] {
  return Object.entries<Field>(importFields[kind]).map(([name, { facts }]) => ({
    name,
    label: facts.label ?? name,
    help: facts.help ?? '',
    isConstant: mayBeConstant(kind, name),
  }));
}

/** As the API returns it. */
function toImport(record: ImportRecord, samples: readonly (readonly string[])[]): FileImport {
  const { columns, ...plan } = JSON.parse(record.plan) as ImportPlan;
  return {
    id: record.id,
    organizationID: String(record.organization_id),
    kind: record.kind as FileImportKind,
    createdAt: record.created_at.toISOString(),
    expiresAt: record.expires_at.toISOString(),
    fileName: record.file_name,
    rowCount: record.row_count,
    columns: columns.map((column, at) => ({ ...column, samples: samples.map((cells) => cells[at] ?? '') })),
    fields: fieldsOf(record.kind as FileImportKind),
    ...plan,
    check: record.counts === null ? null : (JSON.parse(record.counts) as ImportCounts),
    jobID: record.job_id ?? '',
  };
}
