import type { Socket } from 'node:net';
import { Server, ServerCredentials, type ServerUnaryCall, type sendUnaryData } from '@grpc/grpc-js';
import { as, RpcError, Status } from '@hilltop/protobuf';
import type { Logger } from 'pino';
import { definitionOf } from './grpc-definition.ts';

/** The contents of the certificate files for gRPC with TLS. */
export interface TLSFiles {
  /** The CA of client certificates; null accepts every client. */
  ca: Buffer | null;
  cert: Buffer;
  key: Buffer;
}

const patienceMs = 2000;

/** Serves `as.ApplicationServerService` on connections that another server has accepted. */
export function serveCallbacks(tls: TLSFiles | null, callbacks: as.ApplicationServerService, log: Logger) {
  const credentials = tls
    ? ServerCredentials.createSsl(tls.ca, [{ cert_chain: tls.cert, private_key: tls.key }], tls.ca !== null)
    : ServerCredentials.createInsecure();
  const server = new Server();
  const handlers = Object.entries(callbacks).map(([name, handle]) => [
    name,
    (call: ServerUnaryCall<object, object>, answer: sendUnaryData<object>) => {
      (async () => (handle as (request: object) => Promise<object>)(call.request))()
        .then(
          (response) => answer(null, response),
          (error: unknown) => answer(toStatus(error, name, log)),
        )
        .catch((error: unknown) => log.error({ err: error }, `${name} of a remote network server was not answered`));
    },
  ]);
  server.addService(definitionOf(as.ApplicationServerService), Object.fromEntries(handlers));
  const injector = server.createConnectionInjector(credentials);
  return {
    take: (socket: Socket) => injector.injectConnection(socket),
    /** Lets calls under way finish, for 2 s at most. */
    stop: () =>
      new Promise<void>((resolve) => {
        const timeout = setTimeout(() => {
          server.forceShutdown();
          resolve();
        }, patienceMs);
        server.tryShutdown(() => {
          clearTimeout(timeout);
          resolve();
        });
      }),
  };
}

function toStatus(error: unknown, name: string, log: Logger): { code: number; details: string } {
  if (error instanceof RpcError) return { code: error.number, details: error.message };
  log.error({ err: error }, `${name} of a remote network server failed`);
  return { code: Status.Internal, details: 'It could not be handled. The log of the application server says why.' };
}
