import { useState } from 'react';
import { useLive } from '../../api/live.ts';
import { type EventItem, payloadOf } from './event-kind.ts';

/** The last event of each type of a device, and the last decoded one. */
export type LastEvents = Partial<Record<string, EventItem>>;

/** Live; the stream begins with stored events. */
export function useLastEvents(devEUI: string): LastEvents {
  const [events, setEvents] = useState<LastEvents>({});
  useLive<EventItem>(`/api/devices/${devEUI}/events`, (item) =>
    setEvents((known) => ({
      ...known,
      [item.type]: item,
      ...(item.type === 'up' && payloadOf(item).objectJSON && { decoded: item }),
    })),
  );
  return events;
}
