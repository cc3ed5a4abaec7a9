import type { EventNote } from '@hilltop/contract';
import type { CounterStep } from '@hilltop/network-server';
import type { Database } from '../database/database.ts';
import type { ServerStop } from '../database/server-runs.ts';
import { lastOfDevice } from '../event-log/chain.ts';

/** A device cannot have sent more between two received uplinks: its counter jumped. */
const mostLost = 1000;

type Loss = Pick<EventNote, 'lost' | 'lostWhileStopped' | 'counterJump' | 'counterReset'>;

/** What is missing before an uplink of that time. */
export function lossOf({ skipped, isReset, sinceMs }: CounterStep, at: number, stops: readonly ServerStop[]): Loss {
  if (isReset) return { counterReset: true };
  if (skipped > mostLost) return { counterJump: skipped };
  if (skipped === 0) return {};
  const lostWhileStopped = sentWhile(stops, { skipped, from: at - sinceMs, to: at });
  return { lost: skipped, ...(lostWhileStopped > 0 && { lostWhileStopped }) };
}

/** How many of the missing frames were sent in a stop, if the device sends regularly. */
function sentWhile(
  stops: readonly ServerStop[],
  { skipped, from, to }: { skipped: number; from: number; to: number },
): number {
  const within = stops.filter((stop) => stop.to > from && stop.from < to);
  if (within.length === 0) return 0;
  const everyMs = (to - from) / (skipped + 1);
  let count = 0;
  for (let nth = 1; nth <= skipped; nth++) {
    const sentAt = from + nth * everyMs;
    if (within.some((stop) => sentAt >= stop.from && sentAt <= stop.to)) count += 1;
  }
  return count;
}

/** An uplink of the device is among its last events, or too old to tell. */
const lastEvents = 50;

/** How the counter of an uplink follows the last uplink of the event log, for a network server that does not report it. */
export async function stepFromLast(
  { query }: Pick<Database, 'query'>,
  uplink: { devEUI: string; devAddr: string; fCnt: number; at: Date },
): Promise<CounterStep | undefined> {
  const [last] = await lastOfDevice(query, { devEUI: uplink.devEUI, most: lastEvents, type: 'up' });
  if (!last) return undefined;
  const { fCnt = 0, devAddr = '' } = JSON.parse(last.payload) as { fCnt?: number; devAddr?: string };
  if (Uint8Array.fromBase64(devAddr).toHex() !== uplink.devAddr) return undefined;
  const step = uplink.fCnt - fCnt - 1;
  return { skipped: Math.max(0, step), isReset: step < -1, sinceMs: Math.max(0, uplink.at.getTime() - last.at) };
}
