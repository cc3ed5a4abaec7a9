import {
  decide,
  type Effect,
  mostTrashRefusals,
  type Operations,
  refusal,
  type TrashedName,
  type TrashKindName,
  type TrashRefusal,
  trashedNames,
  trashKinds,
} from '@hilltop/contract';
import type { Handlers } from '../../http/call.ts';
import { toFilterID } from '../../identifiers.ts';
import type { Principal } from '../../identity/principals.ts';
import type { Jobs } from '../job/jobs.ts';
import { hasUnfinishedJob } from '../job/store.ts';
import {
  containedIn,
  countTrashRows,
  listTrash,
  loadTrash,
  removeEmptyTrash,
  removeTrash,
  trashRows,
} from '../trash/store.ts';
import { type RestoreDependencies, restoreRecord } from './restore-record.ts';

export interface TrashRoutesDependencies extends RestoreDependencies {
  jobs: Pick<Jobs, 'create'>;
  config: { trashDays: number };
}

/** More records are restored by a job. */
const mostAtOnce = 200;
/** What devices and gateways refer to. A job restores several of these at a time, so the others come before it. */
const containers = trashedNames.filter((kind) => kind !== 'DEVICE' && kind !== 'GATEWAY');

/** Who may delete a kind of record may see (`read`), restore and remove what was deleted. */
function isAllowed(principal: Principal, effect: Effect, kind: TrashKindName, of: TrashOwners): boolean {
  const rule = { on: 'record', allow: trashKinds[kind].deleters } as const;
  const facts = {
    organizationIDs: [of.organizationID],
    ...(of.applicationID && { applicationID: of.applicationID }),
  };
  return decide(principal, effect, rule, facts) === 'allowed';
}

interface TrashOwners {
  readonly organizationID: string;
  readonly applicationID?: string;
}

/** The applications whose deleted devices a caller limited to applications may see; undefined: not limited. */
function applicationsOf(principal: Principal, organizationID: string): readonly string[] | undefined {
  if (principal?.kind !== 'user' || principal.isAdmin) return undefined;
  const ids = principal.memberships.find((one) => one.organizationID === organizationID)?.applicationIDs ?? [];
  return ids.length > 0 ? ids : undefined;
}

const kindNames = Object.keys(trashKinds) as TrashKindName[];

/** Deleted records: who may delete a kind of record sees, restores and removes them. */
export function trashRoutes(needs: TrashRoutesDependencies): Handlers<Operations['trash']> {
  const { database, config } = needs;
  /** Entries that calls to this instance restore. Those of other instances restore each record once as well. */
  const restoring = new Set<string>();

  async function load(id: string, principal: Principal) {
    const entry = await loadTrash(database, id);
    const owners = {
      organizationID: String(entry.organization_id),
      ...(entry.application_id !== null && { applicationID: String(entry.application_id) }),
    };
    if (!isAllowed(principal, 'change', entry.kind, owners)) throw refusal('PERMISSION_DENIED');
    return entry;
  }

  return {
    list: async ({ organizationID, recordID, limit, offset }, { principal }) => {
      const applications = applicationsOf(principal, organizationID);
      const [applicationID] = applications ?? [];
      const owners = { organizationID, ...(applicationID !== undefined && { applicationID }) };
      const kinds = kindNames.filter((kind) => isAllowed(principal, 'read', kind, owners));
      const filter = {
        ...{ organizationID: toFilterID(organizationID), kinds, recordID, limit, offset },
        applicationIDs: applications?.map(Number),
      };
      return { ...(await listTrash(database, filter, config.trashDays)), days: config.trashDays };
    },

    restore: async ({ id }, { principal }) => {
      const { organization_id: organizationID } = await load(id, principal);
      const order = { kind: 'RESTORE_TRASH', organizationID, parameters: { trashID: id } } as const;
      if (restoring.has(id) || (await hasUnfinishedJob(database, order))) throw refusal('RESTORE_RUNNING');
      restoring.add(id);
      try {
        const isLarge = (await countTrashRows(database, id)) > mostAtOnce;
        const answer = await restoreAtOnce(needs, id, principal, isLarge ? containers : trashedNames);
        await removeEmptyTrash(database, id);
        if (!isLarge || answer.refusedCount > 0) return { ...answer, jobID: '' };
        return { ...answer, jobID: (await needs.jobs.create(order, principal!)).id };
      } finally {
        restoring.delete(id);
      }
    },

    delete: async ({ id }, { principal }) => {
      await load(id, principal);
      await removeTrash(database, id);
      return {};
    },

    getContents: async ({ applicationID, organizationID }) => {
      const application = toFilterID(applicationID);
      const organization = application === undefined ? toFilterID(organizationID) : undefined;
      const isEither = application !== undefined || organization !== undefined;
      const contained = { applicationID: application, organizationID: organization };
      return { contents: isEither ? await containedIn(database, contained) : [], days: config.trashDays };
    },
  };
}

/** Restores the records of these kinds, the last deleted first. */
async function restoreAtOnce(
  needs: TrashRoutesDependencies,
  trashID: string,
  by: Principal,
  kinds: readonly TrashedName[],
): Promise<{ restoredCount: number; refusedCount: number; refused: TrashRefusal[] }> {
  const refused: TrashRefusal[] = [];
  let restoredCount = 0;
  let refusedCount = 0;
  for await (const rows of trashRows(needs.database, trashID, kinds))
    for (const row of rows) {
      const refusal = await restoreRecord(needs, row, by);
      if (!refusal) restoredCount += 1;
      else if (++refusedCount <= mostTrashRefusals) refused.push(refusal);
    }
  return { restoredCount, refusedCount, refused };
}
