import {
  complete,
  invalidFields,
  JobAction,
  type JobKindFacts,
  type JobKindName,
  type JobSelection,
  jobKindFacts,
  jobKinds,
  type Operations,
  type operations,
  type RequestOf,
  refusal,
} from '@hilltop/contract';
import type { Clock } from '@hilltop/network-server';
import { createQuota } from '../../connections/quota.ts';
import type { Database } from '../../database/database.ts';
import { countOf, readPage } from '../../database/page.ts';
import type { Handlers } from '../../http/call.ts';
import { toFilterID, toID } from '../../identifiers.ts';
import { nameOf } from '../../identity/name-of.ts';
import { RetryLater } from '../../retry-later.ts';
import type { Jobs } from './jobs.ts';
import { rehearse } from './rehearse.ts';
import { type JobRecord, loadJob, toJob, undoingJob, unfinishedStates } from './store.ts';

interface JobRoutesDependencies {
  database: Database;
  clock: Clock;
  jobs: Jobs;
}

/** Rehearsals at a time: each reads up to 100,000 records. */
const mostRehearsals = { all: 4, each: 1 };
const retrySeconds = 5;

export function jobRoutes({ database, clock, jobs }: JobRoutesDependencies): Handlers<Operations['job']> {
  const rehearsals = createQuota(mostRehearsals);
  const answered = async (record: JobRecord) =>
    toJob(record, await undoingJob(database, record.id), clock.now().getTime());

  return {
    list: async (request) => {
      const { result, ...found } = await pageOfJobs(database, request);
      const jobs = [];
      for (const record of result) jobs.push(await answered(record));
      return { ...found, result: jobs };
    },

    create: async (request, { principal }) => {
      const kind = checkKind(request.kind);
      const action = checkAction(kind, request.action);
      checkSelection(request.selection);
      const organizationID = toID(request.organizationID, 'organization');
      const parameters = { action, selection: request.selection };
      const by = principal!;
      if (!request.validateOnly) {
        const job = await jobs.create({ kind, organizationID, parameters, requestID: request.requestID }, by);
        return { job: await answered(job), count: 0, acceptedCount: 0, refused: [] };
      }
      const person = `${by.kind} ${by.id}`;
      if (!rehearsals.take(person)) throw new RetryLater(retrySeconds, 'rehearsals at once');
      try {
        const caller = { principal: by, by: nameOf(by) };
        return await rehearse(jobs.kinds[kind]!, { organizationID, parameters }, caller);
      } finally {
        rehearsals.giveBack(person);
      }
    },

    get: async ({ id }) => ({ job: await answered(await loadJob(database, id)) }),

    listRows: async (request) => {
      const { kind } = await loadJob(database, request.id);
      return pageOfRows(database, kind as JobKindName, request);
    },

    stop: async ({ id }) => {
      await jobs.stop(id);
      return {};
    },
    resume: async ({ id }) => {
      await jobs.resume(id);
      return {};
    },
    undo: async ({ id }, { principal }) => ({ job: await answered(await jobs.undo(id, principal!)) }),
  };
}

function pageOfJobs(
  { query }: Database,
  { organizationID, unfinished, ...page }: RequestOf<typeof operations.job.list>,
) {
  const owner = toFilterID(organizationID);
  const matching = query
    .selectFrom('job')
    .$if(owner !== undefined, (rows) => rows.where('organization_id', '=', owner!))
    .$if(unfinished, (rows) => rows.where('state', 'in', unfinishedStates));
  const ordered = matching.selectAll().orderBy('created_at', 'desc').orderBy('id');
  return readPage(
    page,
    () => countOf(matching),
    () => ordered.limit(page.limit).offset(page.offset).execute(),
  );
}

async function pageOfRows(
  { query }: Database,
  kind: JobKindName,
  { id, outcome, ...page }: RequestOf<typeof operations.job.listRows>,
) {
  const stored = outcome === 'WAITING' ? '' : (outcome as 'DONE');
  const matching = query
    .selectFrom('job_row')
    .where('job_id', '=', id)
    .$if(outcome !== '', (rows) => rows.where('outcome', '=', stored));
  const columns = ['position', 'subject', 'name', 'outcome', 'reason', 'message'] as const;
  const found = await readPage(
    page,
    () => countOf(matching),
    () => matching.select(columns).orderBy('position').limit(page.limit).offset(page.offset).execute(),
  );
  const subjects = found.result.map(({ subject }) => subject);
  // A newer release may have created others.
  const owners = await ownersOf(query, kind in jobKinds ? jobKindFacts(kind).subject : 'record', subjects);
  const result = found.result.map((row) => ({
    ...row,
    outcome: row.outcome || ('WAITING' as const),
    ...(owners.get(row.subject) ?? { organizationID: '0', applicationID: '0' }),
  }));
  return { ...found, result };
}

/** To whom these devices or gateways belong now; only of those that exist. */
async function ownersOf(
  query: Database['query'],
  kind: JobKindFacts['subject'],
  subjects: readonly string[],
): Promise<ReadonlyMap<string, { organizationID: string; applicationID: string }>> {
  if (subjects.length === 0 || kind === 'record') return new Map();
  const owners =
    kind === 'gateway'
      ? await query
          .selectFrom('gateway')
          .select((eb) => ['id as subject', 'organization_id', eb.val(0).as('application_id')])
          .where('id', 'in', subjects)
          .execute()
      : await query
          .selectFrom('device')
          .innerJoin('application', 'application.id', 'device.application_id')
          .select(['dev_eui as subject', 'organization_id', 'application_id'])
          .where('dev_eui', 'in', subjects)
          .execute();
  return new Map(
    owners.map((one) => [
      one.subject,
      { organizationID: String(one.organization_id), applicationID: String(one.application_id) },
    ]),
  );
}

function checkKind(kind: JobKindName | 'NONE'): JobKindName {
  if (kind === 'NONE' || jobKindFacts(kind).uses === null) throw refusal('NO_JOB_KIND');
  return kind;
}

const isGiven = (value: JobAction[keyof JobAction]) =>
  typeof value === 'object' ? Object.keys(value).length > 0 : value !== '' && value !== '0';

/** Only the members that the kind uses may be given. */
function checkAction(kind: JobKindName, given: JobAction | null): JobAction {
  const { uses, requires } = jobKindFacts(kind);
  const action = given ?? complete(JobAction, {});
  const names = (Object.keys(action) as (keyof JobAction)[]).filter((name) => isGiven(action[name]));
  const surplus = names.find((name) => !uses!.includes(name));
  if (surplus)
    throw invalidFields([{ field: `action.${surplus}`, description: `${kind} does not use it. Leave it out.` }]);
  if (requires && !requires.some((name) => names.includes(name)))
    throw invalidFields([{ field: `action.${requires[0]}`, description: `${kind} needs ${requires.join(' or ')}.` }]);
  return action;
}

function checkSelection({ ids, applicationID, search, filter, all }: JobSelection): void {
  const isNarrowed =
    ids.length > 0 || toFilterID(applicationID) !== undefined || search !== '' || filter.some((one) => one !== '');
  if (!isNarrowed && !all) throw refusal('NO_JOB_SELECTION');
}
