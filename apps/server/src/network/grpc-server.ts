import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { Server, ServerCredentials, type ServerUnaryCall, type sendUnaryData } from '@grpc/grpc-js';
import { as, RpcError, Status } from '@hilltop/protobuf';
import type { Logger } from 'pino';
import type { Address, Config } from '../config.ts';
import { cannotListen, StartError } from '../start-error.ts';
import { definitionOf } from './grpc-definition.ts';

/** Listens for remote network servers. */
export interface GrpcServer {
  /** The real one, when port 0 was asked for. */
  port: number;
  /** Lets calls under way finish, for 2 s at most. */
  stop: () => Promise<void>;
}

type Needed = {
  config: Pick<Config, 'grpcCA' | 'grpcCert' | 'grpcKey'>;
  callbacks: as.ApplicationServerService;
  log: Logger;
};

/**
 * Serves `as.ApplicationServerService`: plain without certificate, with TLS where there is one, and with a CA only to
 * who has a client certificate of it. Throws StartError when the address or the files cannot be used.
 */
export async function startGrpcServer(listen: Address, { config, callbacks, log }: Needed): Promise<GrpcServer> {
  const credentials = await credentialsOf(config);
  const server = new Server();
  const handlers = Object.entries(callbacks).map(([name, handle]) => [
    name,
    (call: ServerUnaryCall<object, object>, answer: sendUnaryData<object>) => {
      (handle as (request: object) => Promise<object>)(call.request).then(
        (response) => answer(null, response),
        (error: unknown) => answer(toStatus(error, name, log)),
      );
    },
  ]);
  server.addService(definitionOf(as.ApplicationServerService), Object.fromEntries(handlers));
  const host = listen.host.includes(':') ? `[${listen.host}]` : listen.host;
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(`${host}:${listen.port}`, credentials, (error, bound) => {
      if (error) reject(cannotListen('HILLTOP_GRPC', listen, withCode(error)));
      else resolve(bound);
    });
  });
  return {
    port,
    stop: () =>
      new Promise((resolve) => {
        const patience = setTimeout(() => server.forceShutdown(), 2000);
        server.tryShutdown(() => {
          clearTimeout(patience);
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

/** grpc-js puts the code of the system into its sentence. */
function withCode(error: Error): Error {
  const [code] = /E[A-Z]{4,}/.exec(error.message) ?? [];
  return Object.assign(error, { code });
}

async function credentialsOf({ grpcCA, grpcCert, grpcKey }: Needed['config']): Promise<ServerCredentials> {
  if (grpcCA === '' && grpcCert === '' && grpcKey === '') return ServerCredentials.createInsecure();
  if (grpcCert === '' || grpcKey === '')
    throw new StartError('HILLTOP_GRPC_CERT and HILLTOP_GRPC_KEY must both name a file for gRPC with TLS.');
  const ca = grpcCA === '' ? null : await readPEM('HILLTOP_GRPC_CA', grpcCA);
  const pair = {
    cert_chain: await readPEM('HILLTOP_GRPC_CERT', grpcCert),
    private_key: await readPEM('HILLTOP_GRPC_KEY', grpcKey),
  };
  try {
    createSecureContext({ cert: pair.cert_chain, key: pair.private_key });
  } catch {
    throw new StartError(
      'HILLTOP_GRPC_CERT and HILLTOP_GRPC_KEY cannot be used: they must be a certificate and the key it was made for.',
    );
  }
  return ServerCredentials.createSsl(ca, [pair], ca !== null);
}

async function readPEM(setting: string, path: string): Promise<Buffer> {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw new StartError(`The file ${path} (${setting}) cannot be read (${error.code}).`);
  });
  if (bytes.includes('-----BEGIN')) return bytes;
  throw new StartError(`The file ${path} (${setting}) is not a PEM file.`);
}
