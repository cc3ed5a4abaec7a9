import { Readable } from 'node:stream';
import { ApiError, downloadKinds, type Operation } from '@hilltop/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { networkOf } from '../../connections/network-of.ts';
import type { Database } from '../../database/database.ts';
import type { OperationHandlers } from '../../http/operations.ts';
import { checkAccess } from '../../identity/access.ts';
import type { Principal, Principals } from '../../identity/principals.ts';
import { createSharedThrottle, type ThrottleDependencies } from '../../identity/shared-throttle.ts';
import type { Metrics } from '../../metrics.ts';
import { RetryLater } from '../../retry-later.ts';
import type { ExportDependencies } from './device-file.ts';
import type { CallForFile, DownloadFile } from './file.ts';
import { contentTypes, fileKinds } from './file-kinds.ts';
import type { DownloadLinks, RequestedDownload } from './links.ts';

export const downloadPath = '/api/downloads/';

const usesPerMinute = 120;

interface DownloadDependencies extends ThrottleDependencies, ExportDependencies {
  principals: Pick<Principals, 'reload'>;
  downloads: DownloadLinks;
  metrics: Pick<Metrics, 'count'>;
}

/**
 * `GET /api/downloads/{token}`: the file of a link, for browsers, which save the answer of a request without headers
 * only. It is not in the contract, because its answer is no message.
 */
export function serveDownloads(app: FastifyInstance, needs: DownloadDependencies, handlers: OperationHandlers): void {
  const { downloads, principals, metrics } = needs;
  const uses = createSharedThrottle(needs, 'downloads', usesPerMinute);

  // HEAD would use up the link.
  app.get<{ Params: { token: string } }>(
    `${downloadPath}:token`,
    { exposeHeadRoute: false },
    async (request, reply) => {
      const seconds = await uses.take(networkOf(request.ip));
      if (seconds > 0) throw new RetryLater(seconds, 'downloads');
      const { caller, ...requested } = await downloads.use(request.params.token);
      const principal = await principals.reload(caller);
      await checkAccess(needs, downloadKinds[requested.kind].operation, requested.request, principal);
      const end = downloads.begin(principal);
      if (reply.raw.closed) end();
      else reply.raw.once('close', end);
      const file = fileOf(requested, callsOf(needs, handlers, { request, principal }), needs);
      // What fails before the first part is answered as an error; after it the connection ends.
      const first = await file.parts.next();
      metrics.count('downloads', { kind: requested.kind });
      request.log.info({ kind: requested.kind, format: requested.format, caller: caller.kind }, 'download');
      return send(reply, requested, file, first.done ? '' : first.value);
    },
  );
}

function send(reply: FastifyReply, { format }: RequestedDownload, file: DownloadFile, first: string): FastifyReply {
  return reply
    .header('Content-Type', contentTypes[format])
    .header('Content-Disposition', `attachment; filename="${file.name}"`)
    .header('Cache-Control', 'no-store')
    .send(Readable.from(withFirst(first, file.parts), { objectMode: false }));
}

async function* withFirst(first: string, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  yield first;
  yield* rest;
}

function fileOf(
  { kind, format, request }: RequestedDownload,
  call: CallForFile,
  needs: ExportDependencies,
): DownloadFile {
  type Write = (request: never, call: CallForFile, needs: ExportDependencies) => DownloadFile;
  const write = (fileKinds[kind] as Record<string, Write>)[format]!;
  return write(request as never, call, needs);
}

function callsOf(
  needs: { database: Database },
  handlers: OperationHandlers,
  { request, principal }: { request: FastifyRequest; principal: NonNullable<Principal> },
): CallForFile {
  const { id: requestID, ip: address, headers } = request;
  const context = {
    ...{ requestID, address, headers, principal, isSecure: request.protocol === 'https' },
    log: request.log as Logger,
    tell: () => undefined,
  };
  return async (operation, input) => {
    try {
      await checkAccess(needs, operation, input, principal);
      return (await handlers.get(operation as Operation)!(input as never, context)) as never;
    } catch (error) {
      if (error instanceof ApiError && [5, 7].includes(error.code)) return undefined;
      throw error;
    }
  };
}
