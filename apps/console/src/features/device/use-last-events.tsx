import { createContext, type ReactNode, use, useEffect, useState } from 'react';
import { useLive } from '../../api/live.ts';
import { type EventItem, isSimulatedEvent, payloadOf } from './event-kind.ts';
import { useDevice } from './use-device.ts';

/** The last event of each type of a device without simulated ones, and the last decoded uplink with them. */
export type LastEvents = Partial<Record<string, EventItem>>;

/** Live; the stream begins with stored events. */
export function useLastEvents(devEUI: string): LastEvents {
  const [events, setEvents] = useState<LastEvents>({});
  useLive<EventItem>(`/api/devices/${devEUI}/events`, (item) =>
    setEvents((known) => {
      const payload = payloadOf(item);
      return {
        ...known,
        ...(!isSimulatedEvent(payload) && { [item.type]: item }),
        ...(item.type === 'up' && payload.objectJSON && { decoded: item }),
      };
    }),
  );
  return events;
}

const Known = createContext<LastEvents>({});

/** One stream for the header and the tabs of a device. Refetches the device after an event that may have changed it. */
export function LastEventsOf({ devEUI, children }: { devEUI: string; children: ReactNode }) {
  const { dataUpdatedAt: readMs, refetch } = useDevice();
  const events = useLastEvents(devEUI);
  const { up, join, error, status } = events;
  const newestMs = Math.max(...[up, join, error, status].map((one) => Date.parse(one?.publishedAt ?? '') || 0));
  useEffect(() => {
    if (newestMs > readMs) void refetch();
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- once per event, independent of other times
  }, [newestMs, refetch]);
  return <Known value={events}>{children}</Known>;
}

/** The last events of the device of the page. */
export const useKnownEvents = (): LastEvents => use(Known);
