import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { ApiError, importKeys, refusal } from '@hilltop/contract';
import type { Database } from '../../database/database.ts';
import { checkAccess } from '../../identity/access.ts';
import type { Principal } from '../../identity/principals.ts';
import type { Secrets } from '../../secrets.ts';
import { type ImportedKind, nameKey } from './kind.ts';
import type { ImportPlan, RowProblem } from './plan.ts';
import {
  clearOutcomes,
  type FoundOutcome,
  type ImportCounts,
  type ImportRecord,
  rowsOf,
  storeOutcomes,
} from './store.ts';
import { type RowValues, valuesOf } from './values.ts';

interface CheckDependencies {
  database: Database;
  secrets: Secrets;
}

export type AnyKind = ImportedKind<never, unknown, unknown, unknown>;

/** Rehearses every row: nothing is created. Stores the rows with problems, and answers the counts. */
export async function checkRows(
  needs: CheckDependencies,
  kind: AnyKind,
  { record, plan, principal }: { record: ImportRecord; plan: ImportPlan; principal: Principal },
): Promise<ImportCounts> {
  const { database } = needs;
  const check = await ImportCheck.begin(database, kind, { record, plan, principal });
  await clearOutcomes(database, record.id);
  for await (const rows of rowsOf(needs, record.id)) {
    await storeOutcomes(database, record.id, await check.slice(rows));
    await yieldToEventLoop();
  }
  return check.counts;
}

interface CheckedRow {
  number: number;
  key: string | undefined;
  values: RowValues;
  removed: ReadonlySet<string>;
  problems: RowProblem[];
  outcome: 'CREATE' | 'UPDATE' | 'SKIP';
  name?: { scope: string; name: string };
}

interface CheckOf {
  record: ImportRecord;
  plan: ImportPlan;
  principal: Principal;
}

/** What is known of the rows so far. */
class ImportCheck {
  readonly counts: ImportCounts = { createCount: 0, updateCount: 0, skipCount: 0, problemCount: 0 };
  readonly #rowByKey = new Map<string, number>();
  readonly #rowByName = new Map<string, number>();
  /** By the request: the sentence of a refusal, or empty. */
  readonly #refusals = new Map<string, string>();
  readonly #database: Database;
  readonly #kind: AnyKind;
  readonly #of: CheckOf;
  readonly #names: unknown;
  /** How many more the organization may have. */
  #room: number;

  private constructor(database: Database, kind: AnyKind, of: CheckOf, known: { names: unknown; room: number }) {
    this.#database = database;
    this.#kind = kind;
    this.#of = of;
    this.#names = known.names;
    this.#room = known.room;
  }

  static async begin(database: Database, kind: AnyKind, of: CheckOf): Promise<ImportCheck> {
    const organizationID = of.record.organization_id;
    const names = await kind.loadNames(database, organizationID);
    const { max, used } = await quotaOf(database, kind.called, organizationID);
    return new ImportCheck(database, kind, of, { names, room: max === 0 ? Infinity : max - used });
  }

  async slice(rows: readonly { number: number; cells: string[] }[]): Promise<FoundOutcome[]> {
    const { record, plan } = this.#of;
    const keyField = importKeys[this.#kind.kind];
    const checked = rows.map(({ number, cells }): CheckedRow => {
      const { values, removed, problems } = valuesOf(this.#kind.kind, cells, plan);
      const isKnown = problems.some(({ field }) => field === keyField || field === 'onboardingTag');
      const key = isKnown ? undefined : values.get(keyField);
      if (key === undefined && !isKnown) problems.push({ field: keyField, text: 'Must be given.' });
      return { number, key, values, removed, problems, outcome: 'CREATE' };
    });
    const keys = checked.flatMap(({ key }) => key ?? []);
    const existing = await this.#kind.findExisting(this.#database, record.organization_id, keys);
    for (const row of checked) if (row.key !== undefined) await this.#read(row, row.key, existing.get(row.key));
    await this.#checkNames(checked);
    return checked.flatMap((row) => this.#count(row));
  }

  async #read(
    row: CheckedRow,
    key: string,
    found: { before: unknown } | 'inOtherOrganization' | undefined,
  ): Promise<void> {
    const keyField = importKeys[this.#kind.kind];
    const earlier = this.#rowByKey.get(key);
    if (earlier !== undefined) row.problems.push({ field: keyField, text: `Row ${earlier} has it already.` });
    else this.#rowByKey.set(key, row.number);
    const { called } = this.#kind;
    const { whenExists } = this.#of.plan;
    const exists = { field: keyField, text: refusal('ALREADY_EXISTS', { resource: called }).message };
    if (found === 'inOtherOrganization' || (found && whenExists === 'REFUSE')) row.problems.push(exists);
    else if (found && whenExists === 'SKIP') {
      row.outcome = 'SKIP';
      return;
    }
    const before = typeof found === 'object' ? found.before : undefined;
    if (before !== undefined) row.outcome = 'UPDATE';
    const organizationID = String(this.#of.record.organization_id);
    const read = this.#kind.read(row.values, { names: this.#names, organizationID, removed: row.removed }, before);
    const known = new Set(row.problems.map(({ field }) => field));
    row.problems.push(...read.problems.filter(({ field }) => !known.has(field)));
    if (read.record === undefined) return;
    row.name = this.#kind.nameOf(read.record);
    const refused = await this.#refusalOf(read.record, before === undefined);
    if (refused !== '') row.problems.push({ field: '', text: refused });
  }

  /** Rows of one application need the same right. */
  async #refusalOf(record: unknown, isNew: boolean): Promise<string> {
    const { operation, request } = this.#kind.callFor(record, isNew);
    const { scope } = this.#kind.nameOf(record);
    const server = (record as { networkServerID?: string }).networkServerID ?? '';
    const key = `${operation.key} ${scope} ${server}`;
    const known = this.#refusals.get(key);
    if (known !== undefined) return known;
    let refused = '';
    try {
      await checkAccess({ database: this.#database }, operation, request, this.#of.principal);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      refused = error.message;
    }
    this.#refusals.set(key, refused);
    return refused;
  }

  async #checkNames(rows: readonly CheckedRow[]): Promise<void> {
    const named = rows.filter((row) => row.name !== undefined);
    if (named.length === 0) return;
    const inUse = await this.#kind.findNames(
      this.#database,
      named.map(({ name }) => name!),
    );
    for (const row of named) {
      const key = nameKey(row.name!);
      const owner = inUse.get(key);
      const earlier = this.#rowByName.get(key);
      const { called } = this.#kind;
      if (earlier !== undefined) row.problems.push({ field: 'name', text: `Row ${earlier} has this name already.` });
      else if (owner !== undefined && owner !== row.key)
        row.problems.push({ field: 'name', text: refusal('TAKEN', { resource: called, called: 'name' }).message });
      if (earlier === undefined) this.#rowByName.set(key, row.number);
    }
  }

  #count({ number, problems, outcome }: CheckedRow): FoundOutcome[] {
    if (problems.length === 0 && outcome === 'CREATE') {
      if (this.#room <= 0)
        problems.push({ field: '', text: `The organization may have no more ${this.#kind.called}s.` });
      else this.#room -= 1;
    }
    if (problems.length > 0) {
      this.counts.problemCount += 1;
      return [{ number, outcome: 'PROBLEM', problems }];
    }
    if (outcome === 'SKIP') {
      this.counts.skipCount += 1;
      return [{ number, outcome, problems: [] }];
    }
    this.counts[outcome === 'CREATE' ? 'createCount' : 'updateCount'] += 1;
    return [];
  }
}

async function quotaOf({ query }: Database, called: 'device' | 'gateway', organizationID: number) {
  const row = await query
    .selectFrom('organization')
    .select([`max_${called}_count as max`, `${called}_count as used`])
    .where('id', '=', organizationID)
    .executeTakeFirstOrThrow();
  return { max: Number(row.max), used: Number(row.used) };
}
