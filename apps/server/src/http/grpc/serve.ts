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
import type { ErrorBoundary } from '@hilltop/network-server';
import type { Logger } from 'pino';
import { anyOf } from '../../cidr.ts';
import { connectionBoundary } from '../../connections/boundary.ts';
import { type CallerAddress, callerAddress } from '../../connections/caller-address.ts';
import { networkOf } from '../../connections/network-of.ts';
import { tokenOf } from '../authentication.ts';
import { perform } from '../call.ts';
import { callLog } from '../call-log.ts';
import { toApiError } from '../errors.ts';
import type { GrpcDependencies } from '../grpc-dependencies.ts';
import type { Headers, Stream, TakeGrpc } from '../http2.ts';
import { writeCallLine } from '../write-call-line.ts';
import { createAnswer, type GrpcAnswer } from './answer.ts';
import { deadlineOf } from './deadline.ts';
import { compress, decompress } from './gzip.ts';
import { type Collected, collectMessage } from './messages.ts';
import { createReflection, reflectionAt, reflectionServices } from './reflection.ts';

interface Call extends CallerAddress {
  stream: Stream;
  operation: Operation;
  requestID: string;
  headers: Headers;
  answer: GrpcAnswer;
  log: Logger;
  /** By `performance.now()`. */
  startedAt: number;
}

/** The published API only: Hilltop's own operations are served by REST. */
const operations = allOperations.filter((operation) => operation.package === 'api');
const byPath = new Map(operations.map((operation) => [grpcPath(operation), operation]));
const services = new Set([...operations.map(({ service }) => `api.${service}`), ...reflectionServices]);

/** Serves the operations as gRPC, through the same steps as REST; only requests and answers are encoded differently. */
export function createGrpc(needs: GrpcDependencies): TakeGrpc {
  const isProxy = anyOf(needs.config.trustProxy);
  const boundary = connectionBoundary('grpc', needs);
  const reflect = createReflection(operations, boundary);
  const calls = new GrpcCalls(needs, boundary);

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
    calls.begin({ ...caller, stream, operation, requestID, headers, answer, log, startedAt: performance.now() });
  };
}

/** The calls of operations. Each collects one request, then answers it or begins a stream. */
class GrpcCalls {
  readonly #needs: GrpcDependencies;
  readonly #boundary: ErrorBoundary;

  constructor(needs: GrpcDependencies, boundary: ErrorBoundary) {
    this.#needs = needs;
    this.#boundary = boundary;
  }

  begin(call: Call): void {
    const { stream, operation, address, answer } = call;
    const limits = {
      quota: this.#needs.quotas.requestBytes,
      owner: networkOf(address),
      mayBeCompressed: isCompressing(call),
      boundary: this.#boundary,
    };
    collectMessage(stream, limits, (error, message) => {
      if (error) answer.end(error);
      if (error) this.#record(call, { status: error.httpStatus });
      else if (operation.stream) this.#watch(call, message);
      else this.#boundary.guard(stream, () => this.#answer(call, message))();
    });
  }

  async #answer(call: Call, message: Collected): Promise<void> {
    const { stream, operation, answer, requestID, address, isSecure, headers, log } = call;
    const handle = this.#needs.handlers.get(operation)!;
    let caller = '';
    try {
      const response = await perform(this.#needs, operation, handle, {
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
      const bytes = answerBytes(operation.response, response);
      if (operation.method === 'GET') this.#needs.largeAnswers.reserve(stream, address, bytes.length);
      const compressed = isCompressing(call) ? await compress(bytes) : undefined;
      if (compressed) answer.metadata['grpc-encoding'] = 'gzip';
      const isSent = answer.end(undefined, compressed ?? bytes, !!compressed);
      this.#record(call, { caller, status: isSent ? 200 : tooLate });
    } catch (error) {
      const refused = toApiError(error, operation);
      if (refused.httpStatus >= 500 && refused.status !== 'Unimplemented') log.error({ err: error }, 'call failed');
      else log.debug({ err: error }, 'call refused');
      this.#record(call, { caller, status: answer.end(refused) ? refused.httpStatus : tooLate });
    }
  }

  #watch({ stream, operation, address, headers, answer }: Call, message: Collected): void {
    const { quotas, live } = this.#needs;
    const owner = networkOf(address);
    if (!quotas.streams.take(owner)) return void answer.end(refusal('TOO_MANY_STREAMS'));
    const call = { operation, token: tokenOf(headers), address, read: () => readRequest(operation, message) };
    const running = live.run(call, {
      isForeign: false,
      begin: () => answer.begin(),
      send: (item) => answer.send(answerBytes(operation.response, item as never)),
      end: (error) => void answer.end(error),
      onGone: (gone) => stream.once('close', gone),
    });
    this.#boundary.guard(stream, () => running.finally(() => quotas.streams.giveBack(owner)))();
  }

  /** Writes one log line and one measurement per call, as REST does. `status` is that of HTTP. */
  #record(
    { operation, requestID, startedAt }: Call,
    { caller = '', status }: { caller?: string; status: number },
  ): void {
    const ms = performance.now() - startedAt;
    this.#needs.metrics.observeCall(operation.key, status, ms / 1000);
    const line = { requestID, operation: operation.key, by: 'gRPC', caller: caller || undefined, status } as const;
    writeCallLine(this.#needs, line, ms);
  }
}

/** A client that compresses its request gets a compressed answer. */
const isCompressing = ({ headers }: Call) => headers['grpc-encoding'] === 'gzip';

/** Called when the caller is known, so that requests of unknown callers are never decompressed. */
function readRequest(operation: Operation, { bytes, isCompressed }: Collected) {
  if (!isCompressed) return parseRequestBytes(operation, bytes);
  return decompress(bytes).then((message) => parseRequestBytes(operation, message));
}

function endAtDeadline(stream: Stream, ms: number, answer: GrpcAnswer): void {
  if (ms === Number.POSITIVE_INFINITY) return;
  const timer = setTimeout(() => answer.end(refusal('DEADLINE', { ms: Math.round(ms) })), ms);
  stream.once('close', () => clearTimeout(timer));
}

/** The caller has disconnected, or its deadline has passed: nothing reads the answer. */
const tooLate = statuses.Canceled.http;

function unknown(path: string): ApiError {
  const [, service = '', method = ''] = path.split('/');
  if (services.has(service)) return refusal('UNKNOWN_METHOD', { service, method });
  return refusal('UNKNOWN_SERVICE', { service });
}

/** Why a request is not gRPC although its content type says so, such as gRPC-Web, or messages that are not protobuf. */
function problemOf({ ':method': method, 'content-type': type }: Headers): string | undefined {
  if (method !== 'POST') return 'gRPC calls are made by POST.';
  if (!/^application\/grpc(?:\+proto)?(?:$|;)/.test(String(type)))
    return `The content type ${type} is not supported here.`;
  return undefined;
}

function refusePlain(stream: Stream, sentence: string): void {
  stream.respond({ ':status': 415, 'content-type': 'text/plain' });
  stream.end(sentence);
}
