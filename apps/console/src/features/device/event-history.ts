import type { HistoryEvent } from '@hilltop/contract';
import { api } from '../../api/client.ts';
import type { LogHistory } from '../../components/live-log/log-source.ts';
import { filterNow } from '../../components/live-log/use-address-filter.ts';
import type { EventItem } from './event-kind.ts';
import type { EventFilter } from './use-event-filter.ts';

/** An event of the history as the stream of events has it, with its note. */
const itemOf = ({ kind, ...event }: HistoryEvent): EventItem => ({ ...event, type: kind });

/** The stored events of a device that match. */
export function eventHistory(devEUI: string, filter: EventFilter, around: string | undefined): LogHistory<EventItem> {
  return {
    cursorOf: (item) => item.streamID,
    hasMoreOf: ({ type, noteJSON }) => type === 'up' && noteJSON === undefined,
    around,
    read: async (request, signal) => {
      const { kinds = [], fPorts = [], ...rest } = filterNow(filter);
      const asked = { devEUI, ...rest, kinds: [...kinds], fPorts: [...fPorts], ...request };
      const { result, ...page } = await api.history.list(asked, { signal });
      return { ...page, items: result.map(itemOf) };
    },
  };
}
