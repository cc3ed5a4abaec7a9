import type { Clock } from '@hilltop/network-server';
import type { as } from '@hilltop/protobuf';
import type { Database } from '../database/database.ts';
import { type PingReception, savePingReceptions, senderOf } from './ping-rows.ts';

/** How long after it was sent a ping may be received. */
const listenMs = 10_000;

/** The write for a received proprietary frame; undefined when the frame is not a pending ping. */
export async function onPingReceived(
  { database, clock }: { database: Database; clock: Clock },
  { mic, rxInfo }: as.HandleProprietaryUplinkRequest,
): Promise<{ sender: string; write: (database: Database) => Promise<void> } | undefined> {
  const receivedAt = clock.now();
  const sender = await senderOf(database, mic.toHex(), new Date(receivedAt.getTime() - listenMs));
  if (sender === undefined) return undefined;
  const receptions = rxInfo
    .map(({ gatewayID, rssi, loRaSNR, location }): PingReception => {
      const { latitude = 0, longitude = 0, altitude = 0 } = location ?? {};
      return { gatewayID: gatewayID.toHex(), receivedAt, rssi, loRaSNR, latitude, longitude, altitude };
    })
    .filter(({ gatewayID }) => gatewayID !== sender);
  return { sender, write: (into) => savePingReceptions(into, { sender, mic: mic.toHex() }, receptions) };
}
