import { randomUUID } from 'node:crypto';
import { type FileImport, type FileImportKind, notFound, refusal } from '@hilltop/contract';
import type { Selectable } from 'kysely';
import type { Database } from '../../database/database.ts';
import { statement } from '../../database/statement.ts';
import type { RowOf } from '../../database/tables.ts';
import type { Secrets } from '../../secrets.ts';
import type { ImportPlan, RowProblem } from './plan.ts';
import type { FileImportTable } from './tables.ts';

export type ImportRecord = Selectable<FileImportTable>;
export type ImportCounts = NonNullable<FileImport['check']>;

const dayMs = 86_400_000;
/** The most imports that wait: of a person, whose oldest one makes room, and of an organization. */
const most = { ofPerson: 5, ofOrganization: 20 };
/** Rows of one statement. */
export const slice = 50;

export const emptyPlan: ImportPlan = { columns: [], constants: {}, namePattern: '', whenExists: 'REFUSE' };

export async function insertImport(
  database: Database,
  of: { organizationID: number; kind: FileImportKind; person: string },
  now: Date,
): Promise<ImportRecord> {
  await removeExpired(database, now);
  const { query } = database;
  const waiting = await query
    .selectFrom('file_import')
    .select(['id', 'person'])
    .where('organization_id', '=', of.organizationID)
    .where('job_id', 'is', null)
    .orderBy('created_at')
    .execute();
  const own = waiting.filter(({ person }) => person === of.person);
  if (own.length >= most.ofPerson) await removeImport(database, own[0]!.id);
  else if (waiting.length >= most.ofOrganization) throw refusal('TOO_MANY_IMPORTS', { most: most.ofOrganization });
  const row = {
    id: randomUUID(),
    organization_id: of.organizationID,
    kind: of.kind,
    person: of.person,
    created_at: now,
    expires_at: new Date(now.getTime() + dayMs),
    file_name: '',
    row_count: 0,
    plan: JSON.stringify(emptyPlan),
    counts: null,
    job_id: null,
  };
  await query.insertInto('file_import').values(row).execute();
  return row;
}

/** An import of this person. Throws `notFound` for those of others. */
export async function loadImport({ query }: Database, id: string, person: string): Promise<ImportRecord> {
  const row = await query.selectFrom('file_import').selectAll().where('id', '=', id).executeTakeFirst();
  if (!row || row.person !== person) throw notFound('import', id);
  return row;
}

export async function updateImport({ query }: Database, id: string, changes: Partial<ImportRecord>): Promise<void> {
  await query.updateTable('file_import').set(changes).where('id', '=', id).execute();
}

/** Removes the rows of an import slice by slice: others write in between. */
export async function removeRows({ query }: Database, importID: string): Promise<void> {
  const some = query.selectFrom('file_import_row').select('number').where('import_id', '=', importID).limit(500);
  const removal = query.deleteFrom('file_import_row').where('import_id', '=', importID).where('number', 'in', some);
  while ((await removal.executeTakeFirstOrThrow()).numDeletedRows > 0n);
}

export async function removeImport(database: Database, id: string): Promise<void> {
  await removeRows(database, id);
  await database.query.deleteFrom('file_import').where('id', '=', id).execute();
}

/** Removes imports after a day, with the keys in their rows. */
export async function removeExpired(database: Database, now: Date): Promise<void> {
  const expired = database.query.selectFrom('file_import').select('id').where('expires_at', '<=', now);
  for (const { id } of await expired.execute()) await removeImport(database, id);
}

const purposeOf = (importID: string, number: number) => `file_import_row.cells:${importID}:${number}`;

interface RowDependencies {
  database: Database;
  secrets: Secrets;
}

export async function insertRows(
  { database, secrets }: RowDependencies,
  importID: string,
  rows: readonly Pick<WaitingRow, 'number' | 'cells'>[],
): Promise<void> {
  const values = rows.map(({ number, cells }) => ({
    import_id: importID,
    number,
    outcome: null,
    problems: null,
    cells: secrets.seal(Buffer.from(JSON.stringify(cells)), purposeOf(importID, number)),
  }));
  await database.query.insertInto('file_import_row').values(values).execute();
}

interface WaitingRow {
  /** Its number in the file. */
  number: number;
  cells: string[];
  outcome: 'PROBLEM' | 'SKIP' | null;
  problems: RowProblem[];
}

type StoredRow = RowOf<'file_import_row', 'number' | 'cells' | 'outcome' | 'problems'>;

function opened({ secrets }: RowDependencies, importID: string, row: StoredRow): WaitingRow {
  const { number, cells, outcome, problems } = row;
  const text = Buffer.from(secrets.open(cells, purposeOf(importID, number))).toString();
  return {
    number,
    cells: JSON.parse(text) as string[],
    outcome,
    problems: problems === null ? [] : (JSON.parse(problems) as RowProblem[]),
  };
}

const shown = ['number', 'cells', 'outcome', 'problems'] as const;

/** All rows, in slices. */
export async function* rowsOf(needs: RowDependencies, importID: string): AsyncGenerator<WaitingRow[]> {
  for (let after = -1; ; ) {
    const rows = await needs.database.query
      .selectFrom('file_import_row')
      .select(shown)
      .where('import_id', '=', importID)
      .where('number', '>', after)
      .orderBy('number')
      .limit(slice)
      .execute();
    if (rows.length === 0) return;
    yield rows.map((row) => opened(needs, importID, row));
    after = rows.at(-1)!.number;
  }
}

export async function pageOfRows(
  needs: RowDependencies,
  importID: string,
  { problemsOnly, limit, offset }: { problemsOnly: boolean; limit: number; offset: number },
): Promise<{ totalCount: number; rows: WaitingRow[] }> {
  const matching = needs.database.query
    .selectFrom('file_import_row')
    .where('import_id', '=', importID)
    .$if(problemsOnly, (rows) => rows.where('outcome', '=', 'PROBLEM'));
  const { count } = await matching.select((eb) => eb.fn.countAll<number>().as('count')).executeTakeFirstOrThrow();
  const rows = await matching.select(shown).orderBy('number').limit(limit).offset(offset).execute();
  return { totalCount: Number(count), rows: rows.map((row) => opened(needs, importID, row)) };
}

const oneRow = statement<StoredRow>()({
  sql: 'select number, cells, outcome, problems from file_import_row where import_id = $importID and number = $number',
  given: { importID: 'text', number: 'int8' },
});

/** Undefined when it was imported or removed. */
export async function loadRow(
  needs: RowDependencies,
  importID: string,
  number: number,
): Promise<WaitingRow | undefined> {
  const row = await oneRow(needs.database).first({ importID, number });
  return row && opened(needs, importID, row);
}

const removal = statement()({
  sql: 'delete from file_import_row where import_id = $importID and number = $number',
  given: { importID: 'text', number: 'int8' },
});

export async function removeRow(database: Database, importID: string, number: number): Promise<void> {
  await removal(database).run({ importID, number });
}

export async function clearOutcomes({ query }: Database, importID: string): Promise<void> {
  await query
    .updateTable('file_import_row')
    .set({ outcome: null, problems: null })
    .where('import_id', '=', importID)
    .where('outcome', 'is not', null)
    .execute();
}

export type FoundOutcome = Pick<WaitingRow, 'number' | 'problems'> & { outcome: 'PROBLEM' | 'SKIP' };

/** Stores what the check found, in one statement. All these rows exist. */
export async function storeOutcomes(
  { query }: Database,
  importID: string,
  found: readonly FoundOutcome[],
): Promise<void> {
  if (found.length === 0) return;
  const values = found.map(({ number, outcome, problems }) => ({
    import_id: importID,
    number,
    cells: new Uint8Array(),
    outcome,
    problems: problems.length === 0 ? null : JSON.stringify(problems),
  }));
  await query
    .insertInto('file_import_row')
    .values(values)
    .onConflict((conflict) =>
      conflict.columns(['import_id', 'number']).doUpdateSet((eb) => ({
        outcome: eb.ref('excluded.outcome'),
        problems: eb.ref('excluded.problems'),
      })),
    )
    .execute();
}
