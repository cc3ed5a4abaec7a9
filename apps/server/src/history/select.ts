/** Which events of a device a page shows, and how. */
import { type HistoryFilter, matchesHistory } from '@hilltop/contract/matches-history';
import { streamIDOf } from './event-key.ts';
import type { HistoryEvent } from './part.ts';

/** An event as a page shows it; undefined when it does not. */
export type SelectEvent = (event: HistoryEvent) => HistoryEvent | undefined;

/** The bytes of a frame, the last member of a note. */
const phyMember = '"phy":"';
const phyEnd = '"}';

/** Where the member begins, which has no quotation mark in its bytes; -1 when there is none. */
function phyIndex(note: string): number {
  const from = note.lastIndexOf(phyMember);
  return from > 0 && note.indexOf('"', from + phyMember.length) === note.length - phyEnd.length ? from : -1;
}

export function phyOf(note: string | null): string | undefined {
  const from = note === null ? -1 : phyIndex(note);
  return from < 0 ? undefined : note!.slice(from + phyMember.length, -phyEnd.length);
}

export function withoutPhy(note: string | null): string | null {
  const from = note === null ? -1 : phyIndex(note);
  if (from < 0) return note === '{}' ? null : note;
  const left = note!.slice(0, note![from - 1] === ',' ? from - 1 : from);
  return left === '{' ? null : `${left}}`;
}

/** The events that match, without the bytes of their frames. The caller selects by time. */
export function eventsMatching(filter: HistoryFilter): SelectEvent {
  const { kinds = [], fPorts = [], gatewayID = '', text = '' } = filter;
  const shown = (stored: HistoryEvent) => ({ ...stored, note: withoutPhy(stored.note) });
  if (kinds.length + fPorts.length + gatewayID.length + text.length === 0) return shown;
  const matches = matchesHistory(filter);
  return (stored) => {
    const event = shown(stored);
    const { type: kind, payload: payloadJSON, note } = event;
    return matches({ streamID: streamIDOf(event), kind, payloadJSON, noteJSON: note ?? '' }) ? event : undefined;
  };
}
