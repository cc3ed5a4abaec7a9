import type { LoRaCloudIntegration } from '@hilltop/contract';
import type { Database } from '../database/database.ts';
import type { LoggedEvent } from '../event-log/event-log.ts';
import { type EventJson, readEvent } from './event-json.ts';
import type { Integration } from './integration.ts';
import { sendToDAS } from './loracloud/das.ts';
import { bufferFrame, type Frame } from './loracloud/frames.ts';
import { locate } from './loracloud/geolocation.ts';

/** Fewer receptions locate nothing. */
const leastGateways = 3;

/**
 * Serves modems of Semtech and locates devices. What the answers cause is written at the end and at once, so that an event
 * that is tried again causes it once.
 */
export function loracloud(database: Database): Integration<LoRaCloudIntegration> {
  return {
    takes: ['up', 'join'],
    deliver: async (event, job) => {
      const read = readEvent(event);
      if (read.type !== 'up' && read.type !== 'join') return;
      const caused = job.config.das ? await sendToDAS(event, read, job) : [];
      if (read.type === 'up') {
        const frames = await framesOf(database, event, read.payload, job.config);
        caused.push(...(await locate({ event, up: read.payload, frames }, job)));
      }
      await job.cause(caused);
    },
  };
}

/** The frames an uplink is located with. Those that no gateway knows the time of stay alone. */
async function framesOf(
  database: Database,
  { id, devEUI }: LoggedEvent,
  { rxInfo }: EventJson<'up'>,
  { geolocationTDOA, geolocationRSSI, geolocationBufferTTL }: LoRaCloudIntegration,
): Promise<readonly Frame[]> {
  if (rxInfo.length < leastGateways || !(geolocationTDOA || geolocationRSSI)) return [];
  const at = rxInfo.find(({ time }) => time !== null)?.time;
  const frame = { eventID: id, at: at ?? '', rxInfo };
  if (geolocationBufferTTL === 0 || !at) return [frame];
  return bufferFrame(database, devEUI, frame, geolocationBufferTTL);
}
