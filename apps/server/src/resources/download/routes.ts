import {
  type ApiError,
  type deviceExport,
  downloadKinds,
  invalidFields,
  type Operations,
  parseMessage,
  type ValueOf,
} from '@hilltop/contract';
import { type AuditDependencies, auditActor, writeAudit } from '../../audit/write.ts';
import type { Handlers } from '../../http/call.ts';
import { checkAccess } from '../../identity/access.ts';
import type { DownloadLinks } from './links.ts';
import { downloadPath } from './serve.ts';

interface DownloadRoutesDependencies extends AuditDependencies {
  downloads: DownloadLinks;
}

export function downloadRoutes(needs: DownloadRoutesDependencies): Handlers<Operations['download']> {
  const { database, downloads } = needs;
  return {
    create: async ({ kind, format, requestJSON }, { principal, address, requestID }) => {
      const { operation, formats } = downloadKinds[kind];
      if (!(formats as readonly string[]).includes(format))
        throw invalidFields([{ field: 'format', description: `Must be ${formats.join(' or ')} for ${kind}.` }]);
      const request = parseMessage(operation.request, parsedRequest(requestJSON));
      await checkAccess({ database }, operation, request, principal);
      const { withKeys, withSessions, organizationID } = request as Partial<ValueOf<typeof deviceExport.request>>;
      const given = { kind, format, request };
      const { token, expiresAt } = await database.transaction(async () => {
        if (withKeys || withSessions)
          await writeAudit(needs, {
            ...{ actor: auditActor(principal), address, requestID, operation: 'download.create' },
            organizationID: Number(organizationID),
            subject: { kind: 'organization', id: organizationID ?? '' },
          });
        return downloads.create(given, principal!);
      });
      return { url: `${downloadPath}${token}`, expiresAt: expiresAt.toISOString() };
    },
  };
}

function parsedRequest(requestJSON: string): unknown {
  try {
    return JSON.parse(requestJSON);
  } catch (error) {
    throw refuseRequest((error as Error).message);
  }
}

const refuseRequest = (problem: string): ApiError =>
  invalidFields([{ field: 'requestJSON', description: `Must be a JSON object: ${problem}.` }]);
