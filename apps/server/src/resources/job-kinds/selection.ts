import { gatewayFilters, type JobAction, type JobSelection } from '@hilltop/contract';
import type { Clock } from '@hilltop/network-server';
import type { Database } from '../../database/database.ts';
import { readSelection } from '../device/filters.ts';
import { namesOfDevices } from '../device/store.ts';
import { namesOfGateways } from '../gateway/store.ts';
import type { JobOrder, JobSubject } from '../job/kind.ts';
import { readFilters } from '../list-filters.ts';
import { selectedDevEUIs, selectedGatewayIDs } from '../selection/selected-keys.ts';

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
export function selectedDevices(
  { database, clock }: SelectionDependencies,
  { organizationID, parameters: { selection } }: JobOrder<SelectionJob>,
): AsyncGenerator<JobSubject[]> {
  const owner = { organizationID: organizationID! };
  const filter = { ...deviceSelectionOf(selection), ...owner };
  const keys = () => selectedDevEUIs(database, filter, clock.now(), { perPage: pageSize });
  return named(selection, keys, (page) => namesOfDevices(database, page, owner));
}

/** Throws code 3 for a filter that is not valid. */
export function deviceSelectionOf({ applicationID, search, filter }: JobSelection) {
  // The rights to each device are checked by its row.
  return readSelection({ organizationID: '', applicationID, search, filter }, null);
}

/** The gateways of a selection, in the same way. */
export function selectedGateways(
  { database, clock }: SelectionDependencies,
  { organizationID, parameters: { selection } }: JobOrder<SelectionJob>,
): AsyncGenerator<JobSubject[]> {
  const organizationIDs = [organizationID!];
  const filter = { ...gatewaySelectionOf(selection), organizationIDs };
  const keys = () => selectedGatewayIDs(database, filter, clock.now(), { perPage: pageSize });
  return named(selection, keys, (page) => namesOfGateways(database, page, organizationIDs));
}

/** Throws code 3 for a filter that is not valid. */
export function gatewaySelectionOf({ search, filter }: JobSelection) {
  return { search, filters: readFilters(gatewayFilters, filter) };
}

async function* named(
  { ids, except }: JobSelection,
  keys: () => AsyncIterable<readonly string[]>,
  namesOf: (page: readonly string[]) => Promise<ReadonlyMap<string, string>>,
): AsyncGenerator<JobSubject[]> {
  const left = new Set(except);
  for await (const page of ids.length > 0 ? pagesOf(ids) : keys()) {
    const names = await namesOf(page);
    yield page.filter((id) => !left.has(id)).map((subject) => ({ subject, name: names.get(subject) ?? '' }));
  }
}

function* pagesOf(ids: readonly string[]): Generator<readonly string[]> {
  for (let at = 0; at < ids.length; at += pageSize) yield ids.slice(at, at + pageSize);
}
