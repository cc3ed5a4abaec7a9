import common from '@chirpstack/chirpstack-api/common/common_pb.js';
import services from '@chirpstack/chirpstack-api/ns/ns_grpc_pb.js';
import pb from '@chirpstack/chirpstack-api/ns/ns_pb.js';
import { Server, ServerCredentials, type ServerWritableStream } from '@grpc/grpc-js';
import timestamps from 'google-protobuf/google/protobuf/timestamp_pb.js';
import type { Identity } from './certificates.ts';

/** Received requests, as the published implementation of the messages reads them: bytes are base64. */
export interface Arrival {
  method: string;
  request: Record<string, unknown>;
}

export interface TestRemoteNetworkServer extends AsyncDisposable {
  port: number;
  arrivals: Arrival[];
  /** The last request of a method; throws when there is none. */
  last: (method: string) => Record<string, unknown>;
  /** Makes the method fail from now on; without a code it succeeds again. */
  refuse: (method: string, code?: number, details?: string) => void;
  /** Makes the method wait after it arrived. Resolves when it has, with a function that lets it continue. */
  hold: (method: string) => Promise<() => void>;
  /** The number of open frame log streams. */
  streams: Set<unknown>;
}

type Message = { toObject: () => Record<string, unknown> };
type Call = { request: Message };
type UnaryCallback = (error: { code: number; details: string } | null, response?: Message) => void;
type Definition = { responseType: new () => Message; responseStream: boolean };

/**
 * A remote network server that stores requests and returns what it stored. With an identity it requires client
 * certificates.
 */
export async function startRemoteNetworkServer(identity?: Identity): Promise<TestRemoteNetworkServer> {
  const arrivals: Arrival[] = [];
  const refusals = new Map<string, { code: number; details: string }>();
  const holds = new Map<string, (letGo: () => void) => void>();
  const streams = new Set<unknown>();
  const storedMessages = new Map<string, unknown>();

  const queued = () => arrivals.filter(({ method }) => method === 'createDeviceQueueItem').length;

  /** Responses that are more than an empty message of the right type. */
  function fill(method: string, response: Message): Message {
    if (response instanceof pb.GetVersionResponse) {
      response.setRegion(common.Region.US915);
      response.setVersion('3.16.4');
    } else if (response instanceof pb.GetNextDownlinkFCntForDevEUIResponse) response.setFCnt(7 + queued());
    else if (method.startsWith('get')) {
      const kind = method.slice(3);
      const stored = storedMessages.get(kind);
      if (stored) (response as unknown as Record<string, (value: unknown) => void>)[`set${kind}`]?.(stored);
    }
    return response;
  }

  async function unary(
    method: string,
    { responseType }: Definition,
    { request }: Call,
    answer: UnaryCallback,
  ): Promise<void> {
    arrivals.push({ method, request: request.toObject() });
    const isHeld = holds.get(method);
    holds.delete(method);
    if (isHeld) await new Promise<void>((resolve) => isHeld(resolve));
    const refusal = refusals.get(method);
    if (refusal) return answer(refusal);
    const [, kind = ''] =
      /^(?:create|update)(.*)$/.exec(method.replace('activateDevice', 'createDeviceActivation')) ?? [];
    const read = (request as unknown as Record<string, (() => unknown) | undefined>)[`get${kind}`];
    if (kind !== '' && read) storedMessages.set(kind, read.call(request));
    answer(null, fill(method, new responseType()));
  }

  function stream(call: ServerWritableStream<Message, Message>): void {
    streams.add(call);
    call.on('cancelled', () => streams.delete(call));
    call.write(frameLogOfUplink());
  }

  const definitions = services.NetworkServerServiceService as unknown as Record<string, Definition>;
  const handlers = Object.entries(definitions).map(([method, definition]) => [
    method,
    definition.responseStream
      ? stream
      : (call: Call, answer: UnaryCallback) => void unary(method, definition, call, answer),
  ]);
  const server = new Server();
  server.addService(definitions as never, Object.fromEntries(handlers));
  const credentials = credentialsOf(identity);
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', credentials, (error, bound) => (error ? reject(error) : resolve(bound)));
  });

  return {
    port,
    arrivals,
    streams,
    last: (method) => {
      const found = arrivals.findLast((one) => one.method === method);
      if (!found) throw new Error(`${method} did not arrive.`);
      return found.request;
    },
    refuse: (method, code, details = '') => {
      if (code === undefined) refusals.delete(method);
      else refusals.set(method, { code, details });
    },
    hold: (method) => new Promise((resolve) => holds.set(method, resolve)),
    [Symbol.asyncDispose]: async () => server.forceShutdown(),
  };
}

function frameLogOfUplink(): Message {
  const frame = new pb.UplinkFrameLog();
  frame.setPhyPayload(Buffer.from('40674523018001000a0102030411223344', 'hex'));
  frame.setPublishedAt(timestamps.Timestamp.fromDate(new Date(0)));
  const response = new pb.StreamFrameLogsForDeviceResponse();
  response.setUplinkFrameSet(frame);
  return response;
}

function credentialsOf(identity: Identity | undefined): ServerCredentials {
  return identity
    ? ServerCredentials.createSsl(
        Buffer.from(identity.ca),
        [{ cert_chain: Buffer.from(identity.cert), private_key: Buffer.from(identity.key) }],
        true,
      )
    : ServerCredentials.createInsecure();
}
