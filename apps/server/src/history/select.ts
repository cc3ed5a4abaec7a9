/** Which events of a device a page shows, and how. */
import { type HistoryFilter, matchesHistory } from '@hilltop/contract/matches-history';
import { streamIDOf } from './event-key.ts';
import type { HistoryEvent } from './part.ts';

/** An event as a page shows it; undefined when it does not. */
export type SelectEvent = (event: HistoryEvent) => HistoryEvent | undefined;

/** The bytes of a frame, the last member of a note. */
const phyMember = /,?"phy":"([^"]*)"}$/;

export const phyOf = (note: string | null): string | undefined => note?.match(phyMember)?.[1];

export function withoutPhy(note: string | null): string | null {
  const left = note?.replace(phyMember, '}') ?? null;
  return left === '{}' ? null : left;
}

/** The events that match, without the bytes of their frames. */
export function eventsMatching(filter: HistoryFilter): SelectEvent {
  const matches = matchesHistory(filter);
  return (stored) => {
    const event = { ...stored, note: withoutPhy(stored.note) };
    const { type: kind, payload: payloadJSON, note } = event;
    return matches({ streamID: streamIDOf(event), kind, payloadJSON, noteJSON: note ?? '' }) ? event : undefined;
  };
}
