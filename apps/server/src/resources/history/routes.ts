import { invalidFields, type Operations, refusal } from '@hilltop/contract';

import type { Database } from '../../database/database.ts';
import { type EventKey, keyOf, streamIDOf } from '../../history/event-key.ts';
import type { History } from '../../history/history.ts';
import type { HistoryEvent } from '../../history/part.ts';
import type { HistorySettings } from '../../history/settings.ts';
import type { Handlers } from '../../http/call.ts';
import { callerKey } from '../../identity/name-of.ts';
import { loadDevice } from '../device/store.ts';

const usualLimit = 50;

interface HistoryRoutesDependencies {
  database: Database;
  history: History;
  config: Pick<HistorySettings, 'history' | 'historyDays' | 'historyEvents'>;
}

export function historyRoutes({
  database,
  history,
  config,
}: HistoryRoutesDependencies): Handlers<Operations['history']> {
  return {
    list: async ({ devEUI, before, after, around, limit, ...filter }, { principal }) => {
      const cursors = Object.entries({ before, after, around }).filter(([, cursor]) => cursor !== '');
      if (cursors.length > 1)
        throw invalidFields([{ field: cursors[1]![0], description: 'Give only one of before, after and around.' }]);
      const { last_event: last, log_from: above } = await loadDevice(database, devEUI);
      const page = await history.read(
        {
          ...{ devEUI, last, above, filter },
          ...Object.fromEntries(cursors.map(([name, cursor]): [string, EventKey] => [name, keyOf(cursor)])),
          limit: limit === 0 ? usualLimit : limit,
        },
        callerKey(principal),
      );
      if (page.isGone) throw refusal('EVENT_GONE', { period: periodOf(config) });
      const { events, older, newer, searchedTo, isComplete, keptSince } = page;
      return {
        result: events.map(toHistoryEvent),
        older,
        newer,
        searchedTo: toTime(searchedTo),
        isComplete,
        keptSince: toTime(keptSince),
        ...limitsOf(config),
      };
    },
  };
}

/** Without a history, the event log has the events of about a day. */
function limitsOf({ history, historyDays, historyEvents }: HistoryRoutesDependencies['config']) {
  return history ? { maxDays: historyDays, maxEvents: historyEvents } : { maxDays: 1, maxEvents: 0 };
}

function periodOf(config: HistoryRoutesDependencies['config']): string {
  const { maxDays, maxEvents } = limitsOf(config);
  const limits = [
    maxDays > 0 ? (maxDays === 1 ? 'a day' : `${maxDays} days`) : '',
    maxEvents > 0 ? `${maxEvents} events` : '',
  ];
  return limits.filter((limit) => limit !== '').join(' or ') || 'as long as the disk has space';
}

const toTime = (ms: number | undefined) => (ms === undefined ? null : new Date(ms).toISOString());

function toHistoryEvent(event: HistoryEvent) {
  const { type: kind, payload: payloadJSON, note } = event;
  const { publishedAt } = JSON.parse(payloadJSON) as { publishedAt: string };
  return { streamID: streamIDOf(event), kind, publishedAt, payloadJSON, noteJSON: note ?? '' };
}
