import { type Load, type LoadResult, loadHTTP } from './http-load.ts';
import { postgresSeconds } from './postgres.ts';
import { processorSeconds } from './process-use.ts';
import type { BenchServer } from './server.ts';

export interface MeasuredLoad extends LoadResult {
  /** Processor time per turn in microseconds, of the server and of its PostgreSQL. */
  processor: { server: number; postgres?: number };
}

const usualConnections = 16;

/** Makes calls on 16 open connections, or so many, and measures the processor time of both processes. */
export async function measureLoad(
  { hilltop, token, postgres }: BenchServer,
  { connections = usualConnections, ...load }: Pick<Load, 'callsOf' | 'seconds' | 'turns'> & { connections?: number },
): Promise<MeasuredLoad> {
  const used = () => ({
    server: processorSeconds(hilltop.pid()),
    postgres: postgres === undefined ? 0 : postgresSeconds(postgres),
  });
  const before = used();
  const result = await loadHTTP({ url: hilltop.url, token, connections, ...load });
  const after = used();
  const each = (of: keyof typeof before) => Math.round(((after[of] - before[of]) / result.turns) * 1_000_000);
  return { ...result, processor: { server: each('server'), ...(postgres && { postgres: each('postgres') }) } };
}

/** The text for a row of the table. */
export function rateOf({ perSecond, time, processor }: MeasuredLoad): string {
  const ofPostgres = processor.postgres === undefined ? '' : ` + ${processor.postgres}`;
  return `${Math.round(perSecond).toLocaleString('en')}/s, p99 ${time.p99} ms, ${processor.server}${ofPostgres} µs`;
}
