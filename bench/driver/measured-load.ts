import { type Load, type LoadResult, loadEvenly, loadHTTP } from './http-load.ts';
import { postgresSeconds } from './postgres.ts';
import { processorSeconds } from './process-use.ts';
import type { BenchServer } from './server.ts';

export interface MeasuredLoad extends LoadResult {
  /** Processor time per turn in microseconds, of the server and of its PostgreSQL. */
  processor: { server: number; postgres?: number };
}

const usualConnections = 16;

type MeasuredCalls = Pick<Load, 'callsOf' | 'seconds' | 'turns'> & { connections?: number };

/** Makes calls on 16 open connections, or so many, and measures the processor time of both processes. */
export function measureLoad(
  server: BenchServer,
  { connections = usualConnections, ...load }: MeasuredCalls,
): Promise<MeasuredLoad> {
  return measured(server, () => loadHTTP({ url: server.hilltop.url, token: server.token, connections, ...load }));
}

/** The same at an even rate. */
export function measureEvenLoad(
  server: BenchServer,
  {
    connections = usualConnections,
    ...load
  }: Pick<Load, 'callsOf'> & { perSecond: number; seconds: number; connections?: number },
): Promise<MeasuredLoad> {
  return measured(server, () => loadEvenly({ url: server.hilltop.url, token: server.token, connections, ...load }));
}

async function measured({ hilltop, postgres }: BenchServer, load: () => Promise<LoadResult>): Promise<MeasuredLoad> {
  const used = () => ({
    server: processorSeconds(hilltop.pid()),
    postgres: postgres === undefined ? 0 : postgresSeconds(postgres),
  });
  const before = used();
  const result = await load();
  const after = used();
  const each = (of: keyof typeof before) => Math.round(((after[of] - before[of]) / result.turns) * 1_000_000);
  return { ...result, processor: { server: each('server'), ...(postgres && { postgres: each('postgres') }) } };
}

/** The text for a row of the table. */
export function rateOf({ perSecond, time, processor }: MeasuredLoad): string {
  const ofPostgres = processor.postgres === undefined ? '' : ` + ${processor.postgres}`;
  return `${Math.round(perSecond).toLocaleString('en')}/s, p99 ${time.p99} ms, ${processor.server}${ofPostgres} µs`;
}
