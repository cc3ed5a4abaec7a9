import { createContext, type ReactNode, use, useEffect, useRef, useState } from 'react';
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

/** Events that arrive within this time are shown together: a page cannot be drawn for each of a thousand a second. */
const togetherMs = 100;

function useTogether(events: LastEvents): LastEvents {
  const [shown, setShown] = useState(events);
  const latest = useRef(events);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    if (latest.current === events) return;
    latest.current = events;
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      setShown(latest.current);
    }, togetherMs);
  }, [events]);
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      timer.current = undefined;
    },
    [],
  );
  return shown;
}

const Known = createContext<LastEvents>({});

/** One stream for the header and the tabs of a device. Refetches the device after an event that may have changed it. */
export function LastEventsOf({ devEUI, children }: { devEUI: string; children: ReactNode }) {
  const { dataUpdatedAt: readMs, refetch } = useDevice();
  const events = useTogether(useLastEvents(devEUI));
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
