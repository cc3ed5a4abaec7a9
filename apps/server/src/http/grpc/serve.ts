import { randomUUID } from 'node:crypto';
import {
  type ApiError,
  allOperations,
  answerBytes,
  grpcPath,
  type Operation,
  parseRequestBytes,
  refusal,
  statuses,
} from '@hilltop/contract';
import type { Logger } from 'pino';
import { anyOf } from '../../cidr.ts';
import { type BoundaryDependencies, connectionBoundary } from '../../connections/boundary.ts';
import { networkOf } from '../../connections/network-of.ts';
import type { Quota } from '../../connections/quota.ts';
import type { Metrics } from '../../metrics.ts';
import { tokenOf } from '../authentication.ts';
import { type CallDependencies, perform } from '../call.ts';
import { callLog } from '../call-log.ts';
import { type CallerAddress, callerAddress } from '../caller-address.ts';
import { toApiError } from '../errors.ts';
import type { Headers, Stream, TakeGrpc } from '../http2.ts';
import type { Live } from '../live.ts';
import type { OperationHandlers } from '../operations.ts';
import type { ClientSettings } from '../settings.ts';
import { createAnswer, type GrpcAnswer } from './answer.ts';
import { deadlineOf } from './deadline.ts';
import { pack, unpack } from './gzip.ts';
import { type Collected, collectMessage } from './messages.ts';
import { createReflection, reflectionAt, reflectionServices } from './reflection.ts';

/** What a call is made with, besides what every handler needs. */
interface GrpcDependencies extends CallDependencies, BoundaryDependencies {
  config: Pick<ClientSettings, 'trustProxy'>;
  metrics: BoundaryDependencies['metrics'] & Pick<Metrics, 'beginCall' | 'observeCall'>;
  handlers: OperationHandlers;
  live: Live;
  quotas: {
    /** Bytes of requests that have not arrived as a whole. */
    requestBytes: Quota;
    /** Open streams. */
    streams: Quota;
  };
}

interface Call extends CallerAddress {
  operation: Operation;
  requestID: string;
  headers: Headers;
  answer: GrpcAnswer;
  log: Logger;
}

/** The published API only: our own operations are for REST. */
const operations = allOperations.filter((operation) => operation.package === 'api');
const byPath = new Map(operations.map((operation) => [grpcPath(operation), operation]));
const services = new Set([...operations.map(({ service }) => `api.${service}`), ...reflectionServices]);

/** Serves the operations as gRPC, by the same steps as REST; only how requests and answers are written differs. */
export function createGrpc(needs: GrpcDependencies): TakeGrpc {
  const isProxy = anyOf(needs.config.trustProxy);
  const boundary = connectionBoundary('grpc', needs);
  const reflect = createReflection(operations, boundary);

  return (stream, headers, socket) => {
    const problem = problemOf(headers);
    if (problem) return refusePlain(stream, problem);
    const requestID = randomUUID();
    const type = String(headers['content-type']);
    const answer = createAnswer(stream, { 'content-type': type, 'ctx-id': requestID }, boundary);
    const path = headers[':path']!;
    const operation = byPath.get(path);
    const reflected = operation ? undefined : reflectionAt(path);
    if (!operation && !reflected) return void answer.end(unknown(path));
    const encoding = headers['grpc-encoding'] ?? 'identity';
    if (encoding !== 'identity' && encoding !== 'gzip') {
      answer.metadata['grpc-accept-encoding'] = 'identity,gzip';
      return void answer.end(refusal('COMPRESSED'));
    }
    const caller = callerAddress(socket, headers, isProxy);
    const deadline = deadlineOf(headers['grpc-timeout']);
    if (deadline === undefined) return void answer.end(refusal('MALFORMED_DEADLINE'));
    endAtDeadline(stream, deadline, answer);
    if (!operation) {
      const owner = networkOf(caller.address);
      if (!needs.quotas.streams.take(owner)) return void answer.end(refusal('TOO_MANY_STREAMS'));
      stream.once('close', () => needs.quotas.streams.giveBack(owner));
      return boundary.guard(stream, reflect)(stream, answer, reflected!);
    }
    const log = callLog(needs.log, { requestID }) as Logger;
    begin(stream, { ...caller, operation, requestID, headers, answer, log });
  };

  function begin(stream: Stream, call: Call): void {
    const { operation, address, answer } = call;
    const from = performance.now();
    const mayBePacked = isPacking(call);
    collectMessage(
      stream,
      { held: needs.quotas.requestBytes, owner: networkOf(address), mayBePacked, boundary },
      (error, message) => {
        if (error) answer.end(error);
        if (error) note(call, { from, status: error.httpStatus });
        else if (operation.stream) watch(stream, call, message);
        else boundary.guard(stream, answerCall)(stream, call, message, from);
      },
    );
  }

  async function answerCall(stream: Stream, call: Call, message: Collected, from: number): Promise<void> {
    const { operation, answer, requestID, address, isSecure, headers, log } = call;
    const handle = needs.handlers.get(operation)!;
    let caller = '';
    const act = () =>
      perform(needs, operation, handle, {
        requestID,
        address,
        isSecure,
        headers,
        log,
        tell: (name, value) => {
          answer.metadata[name.toLowerCase()] = value;
        },
        known: (name) => {
          caller = name;
        },
        read: () => readRequest(operation, message),
      });
    try {
      const bytes = answerBytes(operation.response, await act());
      if (operation.method === 'GET') needs.largeAnswers.reserve(stream, address, bytes.length);
      const packed = isPacking(call) ? await pack(bytes) : undefined;
      if (packed) answer.metadata['grpc-encoding'] = 'gzip';
      note(call, { from, caller, status: answer.end(undefined, packed ?? bytes, !!packed) ? 200 : tooLate });
    } catch (error) {
      const refused = toApiError(error, operation);
      if (refused.httpStatus >= 500 && refused.status !== 'Unimplemented') log.error({ err: error }, 'call failed');
      else log.debug({ err: error }, 'call refused');
      note(call, { from, caller, status: answer.end(refused) ? refused.httpStatus : tooLate });
    }
  }

  function watch(stream: Stream, { operation, address, headers, answer }: Call, message: Collected): void {
    const owner = networkOf(address);
    if (!needs.quotas.streams.take(owner)) return void answer.end(refusal('TOO_MANY_STREAMS'));
    const call = { operation, token: tokenOf(headers), read: () => readRequest(operation, message) };
    const run = needs.live.run(call, {
      isForeign: false,
      begin: () => answer.begin(),
      send: (item) => answer.send(answerBytes(operation.response, item as never)),
      end: (error) => void answer.end(error),
      onGone: (gone) => stream.once('close', gone),
    });
    boundary.guard(stream, () => run.finally(() => needs.quotas.streams.giveBack(owner)))();
  }

  /** One line and one measurement per call, as of REST. */
  function note({ operation, requestID }: Call, { from, caller = '', status }: Noted): void {
    const ms = performance.now() - from;
    needs.metrics.observeCall(operation.key, status, ms / 1000);
    const line = { requestID, operation: operation.key, by: 'gRPC', caller: caller || undefined, status };
    needs.log.info({ ...line, ms: Math.round(ms * 10) / 10 }, 'call');
  }
}

/** Whoever packs what it asks gets its answer packed. */
const isPacking = ({ headers }: Call) => headers['grpc-encoding'] === 'gzip';

/** Nothing is unpacked before it is known who calls. */
function readRequest(operation: Operation, { bytes, isPacked }: Collected) {
  if (!isPacked) return parseRequestBytes(operation, bytes);
  return unpack(bytes).then((message) => parseRequestBytes(operation, message));
}

function endAtDeadline(stream: Stream, ms: number, answer: GrpcAnswer): void {
  if (ms === Number.POSITIVE_INFINITY) return;
  const timer = setTimeout(() => answer.end(refusal('DEADLINE', { ms: Math.round(ms) })), ms);
  stream.once('close', () => clearTimeout(timer));
}

interface Noted {
  from: number;
  caller?: string;
  /** As HTTP has it. */
  status: number;
}

/** The caller has gone, or its deadline has passed: the answer is given to nobody. */
const tooLate = statuses.Canceled.http;

function unknown(path: string): ApiError {
  const [, service = '', method = ''] = path.split('/');
  if (services.has(service)) return refusal('UNKNOWN_METHOD', { service, method });
  return refusal('UNKNOWN_SERVICE', { service });
}

/** What is no gRPC at all although it says so, such as gRPC-Web, or messages that are not protobuf. */
function problemOf({ ':method': method, 'content-type': type }: Headers): string | undefined {
  if (method !== 'POST') return 'gRPC calls are made by POST.';
  if (!/^application\/grpc(?:\+proto)?(?:$|;)/.test(String(type)))
    return `The content type ${type} is not spoken here.`;
  return undefined;
}

function refusePlain(stream: Stream, sentence: string): void {
  stream.respond({ ':status': 415, 'content-type': 'text/plain' });
  stream.end(sentence);
}
