import { type Client, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { ns, RpcError, Status } from '@hilltop/protobuf';
import type { Outgoing } from '../outgoing/outgoing.ts';
import { connect, isReady, type RemoteAddress, unreachable } from './grpc-connection.ts';
import { type Definition, definitionOf } from './grpc-definition.ts';

export interface RemoteNetworkServer {
  service: ns.NetworkServerService;
  /** Whether it is connected or connecting. */
  isConnected: () => boolean;
  /** Closes the connection; calls under way fail. */
  close: () => void;
}

/** A network server answers from its database: a call that takes longer has failed, and a user waits for it. */
const callLimitMs = 3000;

const definitions = definitionOf(ns.NetworkServerService);

/**
 * A remote network server, called over gRPC with the same messages as the embedded one. It connects at the first call,
 * and again after the connection was lost. All refusals and failures are RpcError; a server that cannot be reached
 * within 500 ms is `Unavailable`.
 */
export function remoteNetworkServer(address: RemoteAddress, outgoing: Outgoing): RemoteNetworkServer {
  let opening: Promise<Client> | undefined;
  let held: Client | undefined;

  function drop(client: Client): void {
    if (held === client) opening = held = undefined;
    client.close();
  }

  function open(): Promise<Client> {
    opening ??= connect(address, outgoing).then(
      (client) => (held = client),
      (error: unknown) => {
        opening = undefined;
        throw error;
      },
    );
    return opening;
  }

  /** Connects anew after a lost connection, because the name may resolve to another address by now. */
  async function ready(): Promise<Client> {
    const client = await open();
    if (isReady(client)) return client;
    drop(client);
    return open();
  }

  async function call(definition: Definition, request: object): Promise<object> {
    const client = await ready();
    const { path, requestSerialize, responseDeserialize } = definition;
    const deadline = Date.now() + callLimitMs;
    const { promise, resolve, reject } = Promise.withResolvers<object>();
    client.makeUnaryRequest(
      path,
      requestSerialize,
      responseDeserialize,
      request,
      new Metadata(),
      { deadline },
      (error, answer) => {
        if (!error) return resolve(answer!);
        const isLost = error.code === status.UNAVAILABLE && !isReady(client);
        if (isLost) drop(client);
        reject(isLost ? unreachable(address.server, 'the connection was lost') : toRpcError(error, address.server));
      },
    );
    return promise;
  }

  const methods = Object.entries(definitions).map(([name, definition]) => [
    name,
    definition.responseStream
      ? (request: object, signal: AbortSignal) => streamOf(ready, address, { definition, request, signal })
      : (request: object) => call(definition, request),
  ]);
  return {
    service: Object.fromEntries(methods) as ns.NetworkServerService,
    isConnected: () => (held ? isReady(held) : opening !== undefined),
    close: () => {
      void opening?.then(drop, () => undefined);
    },
  };
}

/** The messages of a streaming call, over a connection from `ready`. */
async function* streamOf(
  ready: () => Promise<Client>,
  address: RemoteAddress,
  { definition, request, signal }: { definition: Definition; request: object; signal: AbortSignal },
): AsyncIterable<object> {
  const client = await ready();
  if (signal.aborted) return;
  const { path, requestSerialize, responseDeserialize } = definition;
  const items = client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, request, new Metadata());
  const cancel = () => items.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    for await (const item of items) yield item as object;
  } catch (error) {
    if (!signal.aborted) throw toRpcError(error as ServiceError, address.server);
  } finally {
    signal.removeEventListener('abort', cancel);
    cancel();
  }
}

const statusNames = new Map(Object.entries(Status).map(([name, number]) => [number as number, name as Status]));

/** Passes on the message of the remote server. */
function toRpcError({ code, details }: ServiceError, server: string): RpcError {
  if (code === status.DEADLINE_EXCEEDED)
    return new RpcError('DeadlineExceeded', `The network-server ${server} did not answer in time. Try again.`);
  // For callers of our API, code 16 would mean that their own session has ended.
  const mappedCode = code === status.UNAUTHENTICATED ? status.PERMISSION_DENIED : code;
  return new RpcError(
    statusNames.get(mappedCode) ?? 'Unknown',
    details || `The network-server ${server} gave no reason.`,
  );
}
