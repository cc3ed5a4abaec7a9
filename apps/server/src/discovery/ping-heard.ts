import type { Clock } from '@hilltop/network-server';
import type { as } from '@hilltop/protobuf';
import type { Database } from '../database/database.ts';
import { type Heard, saveHeard, senderOf } from './ping-rows.ts';

/** So long after it was sent a ping is still heard. */
const listenMs = 10_000;

/** What is to be written because a frame of no device was heard; undefined when it is no ping that is under way. */
export async function onPingHeard(
  { database, clock }: { database: Database; clock: Clock },
  { mic, rxInfo }: as.HandleProprietaryUplinkRequest,
): Promise<{ sender: string; write: (database: Database) => Promise<void> } | undefined> {
  const receivedAt = clock.now();
  const sender = await senderOf(database, mic.toHex(), new Date(receivedAt.getTime() - listenMs));
  if (sender === undefined) return undefined;
  const heard = rxInfo
    .map(({ gatewayID, rssi, loRaSNR, location }): Heard => {
      const { latitude = 0, longitude = 0, altitude = 0 } = location ?? {};
      return { gatewayID: gatewayID.toHex(), receivedAt, rssi, loRaSNR, latitude, longitude, altitude };
    })
    .filter(({ gatewayID }) => gatewayID !== sender);
  return { sender, write: (into) => saveHeard(into, { sender, mic: mic.toHex() }, heard) };
}
