import { ApiError, type DeviceQueueItem } from '@hilltop/contract';
import type { Clock } from '@hilltop/network-server';
import { common } from '@hilltop/protobuf';
import type { Logger } from 'pino';
import type { Database } from '../database/database.ts';
import type { LoggedEvent } from '../event-log/event-log.ts';
import type { DeviceContext, DeviceContexts } from '../events/device-context.ts';
import { buildEvent, type PendingEvent } from '../events/event.ts';
import type { EventRecorder } from '../events/recorder.ts';
import { type Caused, DeliveryTrouble } from '../integrations/integration.ts';

/** Writes what the answer to an event causes, once for each event and integration. */
export interface Effects {
  write(integrationID: number, event: LoggedEvent, caused: readonly Caused[]): Promise<void>;
}

export function createEffects({
  database,
  clock,
  devices,
  recorder,
  enqueue,
  log,
}: {
  database: Database;
  clock: Clock;
  devices: DeviceContexts;
  recorder: EventRecorder;
  /** Rejects with ApiError when it cannot. */
  enqueue: (item: DeviceQueueItem) => Promise<number>;
  log: Logger;
}): Effects {
  /** False when it is there already. */
  async function mark(integrationID: number, eventID: string): Promise<boolean> {
    const { numInsertedOrUpdatedRows } = await database.query
      .insertInto('delivery_effect')
      .values({ integration_id: integrationID, event_id: eventID, at: clock.now() })
      .onConflict((on) => on.doNothing())
      .executeTakeFirst();
    return numInsertedOrUpdatedRows === 1n;
  }

  /** A queue that is full is not a reason to deliver the event again; a network server that is away is. */
  async function tryEnqueue(devEUI: string, downlink: Extract<Caused, { what: 'downlink' }>): Promise<void> {
    try {
      const { fPort, data } = downlink;
      await enqueue({ devEUI, fPort, data: data.toBase64(), confirmed: false, fCnt: 0, jsonObject: '' });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.httpStatus >= 500) throw new DeliveryTrouble('endpoint', `The network-server: ${error.message}`);
      log.warn({ devEUI, reason: (error as Error).message }, 'a downlink of an integration was not queued');
    }
  }

  return {
    write: (integrationID, { id, devEUI }, caused) =>
      database.transaction(async () => {
        const device = await devices.of(devEUI);
        if (!device || caused.length === 0 || !(await mark(integrationID, id))) return;
        const at = clock.now();
        for (const one of caused) {
          if (one.what === 'downlink') await tryEnqueue(devEUI, one);
          else
            await recorder
              .record({ about: `${one.what} of ${devEUI}`, devEUI, at, ...toEvent(one, device, at) })
              .write();
        }
      }),
  };
}

/** Tags are those that are given; a location out of an answer is told of and does not become that of the device. */
function toEvent(
  caused: Exclude<Caused, { what: 'downlink' }>,
  device: DeviceContext,
  at: Date,
): { events: PendingEvent[] } {
  if (caused.what === 'integration') {
    const { integrationName, eventType, objectJSON } = caused;
    return { events: [buildEvent('integration', device, at, { integrationName, eventType, objectJSON, tags: {} })] };
  }
  const { location, fCnt, uplinkIDs, tags } = caused;
  const source = isSource(location.source) ? location.source : 'UNKNOWN';
  const details = { location: { ...location, source }, fCnt, uplinkIDs: [...uplinkIDs] };
  return { events: [buildEvent('location', device, at, { ...details, tags })] };
}

const isSource = (text: string): text is common.LocationSource => Object.hasOwn(common.LocationSource.numbers, text);
