import type { GatewayListItem } from '@hilltop/contract';
import { bucketStart } from '../../statistics/interval.ts';
import type { Statistics } from '../../statistics/statistics.ts';

const days = 30;

/** The starts of the last days, today last. */
function lastDays(now: Date): number[] {
  const today = new Date(bucketStart('DAY', now.getTime()));
  return Array.from({ length: days }, (_, at) =>
    new Date(today.getFullYear(), today.getMonth(), today.getDate() - (days - 1 - at)).getTime(),
  );
}

/** Adds the received and sent frames of each of the last 30 days: one query for all gateways. */
export async function withActivity(
  statistics: Pick<Statistics, 'readMany'>,
  gateways: readonly GatewayListItem[],
  now: Date,
): Promise<GatewayListItem[]> {
  const starts = lastDays(now);
  const subjects = gateways.map(({ id }) => `gateway:${id}`);
  const buckets = await statistics.readMany(subjects, 'DAY', starts[0]!);
  return gateways.map((gateway) => {
    const ofGateway = buckets.get(`gateway:${gateway.id}`) ?? [];
    const byStart = new Map(ofGateway.map(({ start, counters }) => [start, counters]));
    const framesPerDay = starts.map((start) => {
      const { rx_ok_count: received = 0, tx_ok_count: sent = 0 } = byStart.get(start) ?? {};
      return received + sent;
    });
    return { ...gateway, activity: { framesPerDay } };
  });
}
