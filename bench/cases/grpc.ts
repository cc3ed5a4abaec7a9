import { operations } from '@hilltop/contract';
import type { Case } from '../case.ts';
import { createBaseRecords, numbered } from '../driver/base-records.ts';
import { deviceOf } from '../driver/fleet.ts';
import { loadGrpc } from '../driver/grpc-load.ts';
import { type LoadResult, loadHTTP } from '../driver/http-load.ts';
import { startServer } from '../driver/server.ts';

const connections = 4;
const atOnce = 4;

/** Compares calls by REST and gRPC, with many devices in one application. */
export const grpc: Case = async (bench) => {
  const { quick, say } = bench;
  await using server = await startServer(bench);
  const { hilltop, token } = server;
  const { url } = hilltop;
  const ground = await createBaseRecords(server.client);
  const devices = quick ? 10_000 : 100_000;
  const seconds = quick ? 3 : 8;
  const measured: Record<string, LoadResult> = {};

  async function measure(name: string, run: () => Promise<LoadResult>): Promise<LoadResult> {
    const result = await run();
    say(`${name}: ${result.perSecond}/s, ${result.time.p50} / ${result.time.p99} ms, ${result.failures} failures`);
    if (result.failures > 0) throw new Error(`${result.failures} calls of ${name} failed: ${result.firstFailure}`);
    measured[name] = result;
    return result;
  }

  say(`creating ${devices} devices`);
  const create = (turn: number) => {
    const device = deviceOf(numbered('0c', turn, 16), ground, ground.profiles.joining);
    return [{ method: 'POST', path: '/api/devices', body: { device } }];
  };
  await measure('create', () => loadHTTP({ url, token, connections: 16, turns: devices, callsOf: create }));

  const one = (turn: number) => numbered('0c', (turn * 7919) % devices, 16);
  const { applicationID } = ground;
  const byGrpc = (callOf: Parameters<typeof loadGrpc>[0]['callOf'], forSeconds = seconds) =>
    loadGrpc({ url, token, connections, atOnce, seconds: forSeconds, callOf });
  const byREST = (pathOf: (turn: number) => string) =>
    loadHTTP({
      url,
      token,
      connections: connections * atOnce,
      seconds,
      callsOf: (turn) => [{ method: 'GET', path: pathOf(turn) }],
    });
  const getOne = (turn: number) => [operations.device.get, { devEUI: one(turn) }] as const;
  const listTen = () => [operations.device.list, { applicationID, limit: 10 }] as const;

  await measure('warm-up', () => byGrpc(getOne, 2));
  const got = await measure('get by gRPC', () => byGrpc(getOne));
  const gotByREST = await measure('get by REST', () => byREST((turn) => `/api/devices/${one(turn)}`));
  const listed = await measure('list of 10 by gRPC', () => byGrpc(listTen));
  const listedByREST = await measure('list of 10 by REST', () =>
    byREST(() => `/api/devices?applicationID=${applicationID}&limit=10`),
  );

  const among = `among ${devices.toLocaleString('en')}`;
  const rate = ({ perSecond, time }: LoadResult) =>
    `${Math.round(perSecond).toLocaleString('en')}/s, p99 ${time.p99} ms`;
  const beside = (ours: LoadResult, rest: LoadResult) => `${rate(ours)} (REST ${rate(rest)})`;
  return {
    rows: [
      { work: `gRPC get ${among}`, before: '-', target: '8,000/s', ours: beside(got, gotByREST) },
      { work: `gRPC list of 10 ${among}`, before: '-', target: '6,000/s', ours: beside(listed, listedByREST) },
    ],
    measured,
  };
};
