import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from 'node:http2';
import { answerBytes, complete, grpcPath, type Operation } from '@hilltop/contract';
import type { LoadResult } from './http-load.ts';
import { spreadOf } from './spread.ts';

interface Load {
  url: string;
  token: string;
  /** Number of open connections, and of concurrent calls on each of them. */
  connections: number;
  atOnce: number;
  seconds: number;
  callOf: (turn: number) => readonly [Operation, request: object];
}

/** Repeats gRPC calls on open connections. Uses plain HTTP/2, so that the driver needs little processor time. */
export async function loadGrpc(load: Load): Promise<LoadResult> {
  const { url, connections, atOnce, seconds, callOf } = load;
  const sessions = Array.from({ length: connections }, () => connect(url));
  const times: number[] = [];
  let [turn, failures, firstFailure] = [0, 0, ''];
  const began = performance.now();

  async function work(session: ClientHttp2Session): Promise<void> {
    while (performance.now() - began < seconds * 1000) {
      const from = performance.now();
      const [operation, request] = callOf(turn++);
      const failure = await ask(session, load.token, operation, request);
      if (failure !== undefined) failures += 1;
      firstFailure ||= failure ?? '';
      times.push(performance.now() - from);
    }
  }

  await Promise.all(sessions.flatMap((session) => Array.from({ length: atOnce }, () => work(session))));
  for (const session of sessions) session.destroy();
  const perSecond = Math.round((times.length / (performance.now() - began)) * 10_000) / 10;
  return { turns: times.length, perSecond, time: spreadOf(times), failures, firstFailure };
}

/** Calls once; resolves with the error of the call, undefined when it succeeded. */
function ask(
  session: ClientHttp2Session,
  token: string,
  operation: Operation,
  request: object,
): Promise<string | undefined> {
  const message = answerBytes(operation.request, complete(operation.request, request as never));
  const frame = Buffer.alloc(5 + message.length);
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, 5);
  return new Promise((resolve, reject) => {
    const call = session.request({
      ':method': 'POST',
      ':path': grpcPath(operation),
      'content-type': 'application/grpc',
      te: 'trailers',
      authorization: token,
    });
    let outcome = 'no status';
    const take = ({ 'grpc-status': status, 'grpc-message': text = '' }: IncomingHttpHeaders) => {
      if (status !== undefined) outcome = status === '0' ? '' : `${String(status)} ${String(text)}`;
    };
    call.on('response', take).on('trailers', take).on('error', reject).resume();
    call.on('close', () => resolve(outcome === '' ? undefined : `${operation.key}: ${outcome}`));
    call.end(frame);
  });
}
