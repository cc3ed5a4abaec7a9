import type { JobAction, JobSelection } from '@hilltop/contract';
import type { Database } from '../../database/database.ts';
import { holdsText } from '../../database/search.ts';
import { toFilterID } from '../../identifiers.ts';
import type { JobOrder, JobSubject } from '../job/kind.ts';

/** A job that `POST /api/jobs` started. */
export interface SelectionJob {
  readonly action: JobAction;
  readonly selection: JobSelection;
}

const pageSize = 500;

/** The devices of a selection. Ids that do not exist are subjects as well: their rows tell so. */
export function selectedDevices(database: Database, order: JobOrder<SelectionJob>): AsyncIterable<JobSubject[]> {
  const { ids } = order.parameters.selection;
  return ids.length > 0
    ? named(ids, (page) => namesOfDevices(database, page))
    : pages(order, (after) => matchingDevices(database, order, after));
}

export function selectedGateways(database: Database, order: JobOrder<SelectionJob>): AsyncIterable<JobSubject[]> {
  const { ids } = order.parameters.selection;
  return ids.length > 0
    ? named(ids, (page) => namesOfGateways(database, page))
    : pages(order, (after) => matchingGateways(database, order, after));
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
  { parameters: { selection } }: JobOrder<SelectionJob>,
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

async function namesOfDevices({ query }: Database, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await query.selectFrom('device').select(['dev_eui', 'name']).where('dev_eui', 'in', ids).execute();
  return new Map(rows.map(({ dev_eui, name }) => [dev_eui, name]));
}

async function namesOfGateways({ query }: Database, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await query.selectFrom('gateway').select(['id', 'name']).where('id', 'in', ids).execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

async function matchingDevices(
  database: Database,
  { organizationID, parameters: { selection } }: JobOrder<SelectionJob>,
  after: string,
): Promise<JobSubject[]> {
  const { search, applicationID } = selection;
  const application = toFilterID(applicationID);
  const found = search === '' ? undefined : await holdsText(database, 'device', ['device.search_text'], search);
  return database.query
    .selectFrom('device')
    .innerJoin('application', 'application.id', 'device.application_id')
    .select(['device.dev_eui as subject', 'device.name'])
    .where('application.organization_id', '=', organizationID)
    .where('device.dev_eui', '>', after)
    .$if(application !== undefined, (all) => all.where('device.application_id', '=', application!))
    .$if(found !== undefined, (all) => all.where(found!.rule))
    .orderBy('device.dev_eui')
    .limit(pageSize)
    .execute();
}

async function matchingGateways(
  database: Database,
  { organizationID, parameters: { selection } }: JobOrder<SelectionJob>,
  after: string,
): Promise<JobSubject[]> {
  const { search } = selection;
  const found = search === '' ? undefined : await holdsText(database, 'gateway', ['gateway.search_text'], search);
  return database.query
    .selectFrom('gateway')
    .select(['gateway.id as subject', 'gateway.name'])
    .where('gateway.organization_id', '=', organizationID)
    .where('gateway.id', '>', after)
    .$if(found !== undefined, (all) => all.where(found!.rule))
    .orderBy('gateway.id')
    .limit(pageSize)
    .execute();
}
