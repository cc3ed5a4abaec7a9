import { invalidFields, type Operations, refusal } from '@hilltop/contract';
import type { Database } from '../../database/database.ts';
import { type EventKey, keyOf, streamIDOf } from '../../history/event-key.ts';
import { logPart } from '../../history/log-part.ts';
import type { HistoryEvent } from '../../history/part.ts';
import { readPage } from '../../history/read-page.ts';
import type { Handlers } from '../../http/call.ts';
import { loadDevice } from '../device/store.ts';

const usualLimit = 50;

export function historyRoutes({ database }: { database: Database }): Handlers<Operations['history']> {
  return {
    list: async ({ devEUI, before, after, around, limit, ...filter }) => {
      const cursors = Object.entries({ before, after, around }).filter(([, cursor]) => cursor !== '');
      if (cursors.length > 1)
        throw invalidFields([{ field: cursors[1]![0], description: 'Give only one of before, after and around.' }]);
      const { last_event: last, log_from: above } = await loadDevice(database, devEUI);
      const page = await readPage([logPart(database.query, { devEUI, last, above })], {
        ...Object.fromEntries(cursors.map(([name, cursor]): [string, EventKey] => [name, keyOf(cursor)])),
        limit: limit === 0 ? usualLimit : limit,
        filter,
      });
      if (page.isGone) throw refusal('EVENT_GONE', { period: '30 days' });
      const { events, older, newer, searchedTo, isComplete, keptSince } = page;
      return {
        result: events.map(toHistoryEvent),
        older,
        newer,
        searchedTo: toTime(searchedTo),
        isComplete,
        keptSince: toTime(keptSince),
      };
    },
  };
}

const toTime = (ms: number | undefined) => (ms === undefined ? null : new Date(ms).toISOString());

function toHistoryEvent(event: HistoryEvent) {
  const { type: kind, payload: payloadJSON, note } = event;
  const { publishedAt } = JSON.parse(payloadJSON) as { publishedAt: string };
  return { streamID: streamIDOf(event), kind, publishedAt, payloadJSON, noteJSON: note ?? '' };
}
