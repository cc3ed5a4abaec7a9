import type { Operations } from '@hilltop/contract';
import type { Database } from '../../database/database.ts';
import type { Handlers } from '../../http/call.ts';
import { toFilterID } from '../../identifiers.ts';
import { entryAt, listAudit } from './store.ts';

interface AuditRoutesDependencies {
  database: Database;
  config: { auditDays: number };
}

const usualLimit = 50;
const toDate = (time: string | null) => (time === null ? undefined : new Date(time));

export function auditRoutes({ database, config }: AuditRoutesDependencies): Handlers<Operations['audit']> {
  return {
    list: async ({ organizationID, start, end, before, limit, ...filter }) => ({
      ...(await listAudit(database, {
        ...filter,
        organizationID: toFilterID(organizationID),
        start: toDate(start),
        end: toDate(end),
        before: before === '' ? undefined : entryAt(before),
        limit: limit || usualLimit,
      })),
      days: config.auditDays,
    }),
  };
}
