import { type ApiError, downloadKinds, invalidFields, type Operations, parseMessage } from '@hilltop/contract';
import type { Database } from '../../database/database.ts';
import type { Handlers } from '../../http/call.ts';
import { checkAccess } from '../../identity/access.ts';
import type { DownloadLinks } from './links.ts';
import { downloadPath } from './serve.ts';

interface DownloadRoutesDependencies {
  database: Database;
  downloads: DownloadLinks;
}

export function downloadRoutes({ database, downloads }: DownloadRoutesDependencies): Handlers<Operations['download']> {
  return {
    create: async ({ kind, format, requestJSON }, { principal }) => {
      const { operation, formats } = downloadKinds[kind];
      if (!(formats as readonly string[]).includes(format))
        throw invalidFields([{ field: 'format', description: `Must be ${formats.join(' or ')} for ${kind}.` }]);
      const request = parseMessage(operation.request, parsedRequest(requestJSON));
      await checkAccess({ database }, operation, request, principal);
      const { token, expiresAt } = await downloads.create({ kind, format, request }, principal!);
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
