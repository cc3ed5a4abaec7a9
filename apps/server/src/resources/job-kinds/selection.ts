import { gatewayFilters, type JobAction, type JobSelection } from '@hilltop/contract';
import type { Clock } from '@hilltop/network-server';
import type { Database } from '../../database/database.ts';
import { conditionsOfSelection, readSelection } from '../device/filters.ts';
import { namesOfDevices } from '../device/store.ts';
import { conditionsOfGateways, namesOfGateways } from '../gateway/store.ts';
import type { JobOrder, JobSubject } from '../job/kind.ts';
import { readFilters } from '../list-filters.ts';

/** A job that `POST /api/jobs` started. */
export interface SelectionJob {
  readonly action: JobAction;
  readonly selection: JobSelection;
}

interface SelectionDependencies {
  database: Database;
  clock: Pick<Clock, 'now'>;
}

const pageSize = 500;

/** The devices of a selection. Ids that do not exist are subjects as well: the result says so. */
export async function* selectedDevices(
  { database, clock }: SelectionDependencies,
  { organizationID, parameters: { selection } }: JobOrder<SelectionJob>,
): AsyncGenerator<JobSubject[]> {
  const { ids } = selection;
  if (ids.length > 0)
    return yield* named(ids, (page) => namesOfDevices(database, page, { organizationID: organizationID! }));
  const filter = { ...deviceSelectionOf(selection), organizationID: organizationID! };
  const wanted = await conditionsOfSelection(database, filter, clock.now());
  const matching = wanted.reduce((rows, one) => rows.where(one), database.query.selectFrom('device'));
  yield* pages(selection, (after) =>
    matching
      .select(['device.dev_eui as subject', 'device.name'])
      .where('device.dev_eui', '>', after)
      .orderBy('device.dev_eui')
      .limit(pageSize)
      .execute(),
  );
}

/** Throws code 3 for a filter that is not valid. */
export function deviceSelectionOf({ applicationID, search, filter }: JobSelection) {
  return readSelection({ organizationID: '', applicationID, search, filter });
}

/** The gateways of a selection, in the same way. */
export async function* selectedGateways(
  { database, clock }: SelectionDependencies,
  { organizationID, parameters: { selection } }: JobOrder<SelectionJob>,
): AsyncGenerator<JobSubject[]> {
  const { ids } = selection;
  if (ids.length > 0) return yield* named(ids, (page) => namesOfGateways(database, page, [organizationID!]));
  const filter = { ...gatewaySelectionOf(selection), organizationIDs: [organizationID!] };
  const wanted = await conditionsOfGateways(database, filter, clock.now());
  const matching = wanted.reduce((rows, one) => rows.where(one), database.query.selectFrom('gateway'));
  yield* pages(selection, (after) =>
    matching
      .select(['gateway.id as subject', 'gateway.name'])
      .where('gateway.id', '>', after)
      .orderBy('gateway.id')
      .limit(pageSize)
      .execute(),
  );
}

/** Throws code 3 for a filter that is not valid. */
export function gatewaySelectionOf({ search, filter }: JobSelection) {
  return { search, filters: readFilters(gatewayFilters, filter) };
}

async function* named(
  ids: readonly string[],
  namesOf: (page: readonly string[]) => Promise<ReadonlyMap<string, string>>,
): AsyncGenerator<JobSubject[]> {
  for (let at = 0; at < ids.length; at += pageSize) {
    const page = ids.slice(at, at + pageSize);
    const names = await namesOf(page);
    yield page.map((subject) => ({ subject, name: names.get(subject) ?? '' }));
  }
}

async function* pages(
  selection: JobSelection,
  read: (after: string) => Promise<JobSubject[]>,
): AsyncGenerator<JobSubject[]> {
  const except = new Set(selection.except);
  for (let after = ''; ; ) {
    const page = await read(after);
    if (page.length > 0) yield page.filter(({ subject }) => !except.has(subject));
    if (page.length < pageSize) return;
    after = page.at(-1)!.subject;
  }
}
