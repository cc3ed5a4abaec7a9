/** Writes the events of a page as the API returns them. */
import { writtenTime } from '@hilltop/contract/written-time';
import { streamIDOf } from './event-key.ts';
import type { HistoryEvent } from './part.ts';

export function eventsJSON(events: readonly HistoryEvent[]): string {
  return JSON.stringify(events.map(toAPI));
}

/** A `HistoryEvent` of the contract. */
function toAPI({ type: kind, payload: payloadJSON, note, ...key }: HistoryEvent) {
  const publishedAt = writtenTime(publishedAtOf(payloadJSON));
  return { streamID: streamIDOf(key), kind, publishedAt, payloadJSON, noteJSON: note ?? '' };
}

const publishedAtMember = '"publishedAt":"';

/** Parses the payload only where decoded values have a member of the same name. */
function publishedAtOf(payload: string): string {
  const from = payload.indexOf(publishedAtMember);
  if (from < 0 || payload.includes(publishedAtMember, from + 1))
    return (JSON.parse(payload) as { publishedAt?: string }).publishedAt ?? '';
  const begin = from + publishedAtMember.length;
  return payload.slice(begin, payload.indexOf('"', begin));
}
