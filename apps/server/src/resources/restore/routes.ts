import {
  decide,
  mostTrashRefusals,
  type Operations,
  refusal,
  type TrashKindName,
  type TrashRefusal,
  trashKinds,
} from '@hilltop/contract';
import type { Handlers } from '../../http/call.ts';
import { toFilterID } from '../../identifiers.ts';
import type { Principal } from '../../identity/principals.ts';
import { containedIn, listTrash, loadTrash, removeEmptyTrash, removeTrash, rowsBefore } from '../trash/store.ts';
import { type RestoreDependencies, restoreRecord } from './restore-record.ts';

export interface TrashRoutesDependencies extends RestoreDependencies {
  config: { trashDays: number };
}

const rowsPerRead = 200;

function mayRestore(principal: Principal, kind: TrashKindName, organizationID: string): boolean {
  const rule = { on: 'record', allow: trashKinds[kind].deleters } as const;
  return decide(principal, rule, { organizationIDs: [organizationID] }) === 'allowed';
}

const kindNames = Object.keys(trashKinds) as TrashKindName[];

/** Deleted records: who may delete a kind of record sees, restores and removes them. */
export function trashRoutes(needs: TrashRoutesDependencies): Handlers<Operations['trash']> {
  const { database, config } = needs;

  async function load(id: string, principal: Principal) {
    const entry = await loadTrash(database, id);
    if (!mayRestore(principal, entry.kind, String(entry.organization_id))) throw refusal('PERMISSION_DENIED');
    return entry;
  }

  return {
    list: async ({ organizationID, recordID, limit, offset }, { principal }) => {
      const kinds = kindNames.filter((kind) => mayRestore(principal, kind, organizationID));
      const filter = { organizationID: toFilterID(organizationID), kinds, recordID, limit, offset };
      return { ...(await listTrash(database, filter, config.trashDays)), days: config.trashDays };
    },

    restore: async ({ id }, { principal }) => {
      await load(id, principal);
      const refused: TrashRefusal[] = [];
      let restoredCount = 0;
      let refusedCount = 0;
      for (let before = Number.MAX_SAFE_INTEGER; ; ) {
        const rows = await rowsBefore(database, id, before, rowsPerRead);
        for (const row of rows) {
          const problem = await restoreRecord(needs, row.id, principal);
          if (!problem) restoredCount += 1;
          else if (++refusedCount <= mostTrashRefusals) refused.push(problem);
        }
        if (rows.length < rowsPerRead) break;
        before = rows.at(-1)!.id;
      }
      await removeEmptyTrash(database, id);
      return { restoredCount, refusedCount, refused };
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
