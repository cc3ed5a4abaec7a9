import {
  complete,
  type EventNote,
  type FrameLogItem,
  HistoryFrame,
  invalidFields,
  type Operations,
  type PartOf,
  type RequestOf,
  type ResponseOf,
  refusal,
} from '@hilltop/contract';
import { type JoinRefusalReason, refusalOf } from '@hilltop/network-server';
import type { Database } from '../../database/database.ts';
import { type EventKey, keyOf, streamIDOf } from '../../history/event-key.ts';
import type { History } from '../../history/history.ts';
import type { HistoryEvent as StoredEvent } from '../../history/part.ts';
import type { HistoryPage } from '../../history/read-page.ts';
import type { HistorySettings } from '../../history/settings.ts';
import type { Handlers } from '../../http/call.ts';
import { withWrittenList } from '../../http/written-list.ts';
import { callerKey } from '../../identity/name-of.ts';
import type { Networks } from '../../network/network-servers.ts';
import { type DeviceNamesByEUI, remarksJSON } from '../device/frame-remarks.ts';
import { loadDevice, namesOfDevices } from '../device/store.ts';

type ListAnswer = ResponseOf<Operations['history']['list']>;

const usualLimit = 50;

interface HistoryRoutesDependencies {
  database: Database;
  history: History;
  networks: Networks;
  config: Pick<HistorySettings, 'history' | 'historyDays' | 'historyEvents'>;
}

type Cursors = Pick<RequestOf<Operations['history']['list']>, 'before' | 'after' | 'around' | 'limit'>;

export function historyRoutes({
  database,
  history,
  networks,
  config,
}: HistoryRoutesDependencies): Handlers<Operations['history']> {
  function reachOf({ older, newer, isComplete, isGone, searchedTo, storedSince }: Omit<HistoryPage, 'events'>) {
    if (isGone) throw refusal('EVENT_GONE', { period: periodOf(config) });
    const times = { searchedTo: toTime(searchedTo), storedSince: toTime(storedSince) };
    return { older, newer, isComplete, ...times, ...limitsOf(config) };
  }

  return {
    list: async ({ devEUI, before, after, around, limit, ...filter }, { principal }) => {
      const cursors = cursorsOf({ before, after, around, limit });
      const { last_event: last, log_from: above } = await loadDevice(database, devEUI);
      const page = await history.read({ devEUI, last, above, filter, ...cursors }, callerKey(principal));
      return withWrittenList('result', page.json, reachOf(page)) as ListAnswer;
    },

    listFrames: async ({ devEUI, before, after, around, limit, ...filter }, { principal }) => {
      const cursors = cursorsOf({ before, after, around, limit });
      const device = await loadDevice(database, devEUI);
      const { last_event: last, log_from: above, network_server_id, application_id: applicationID } = device;
      const page = await history.frames({ devEUI, last, above, filter, ...cursors }, callerKey(principal));
      const notes = page.events.map(({ note }) => JSON.parse(note ?? '{}') as EventNote);
      const relays = [...new Set(notes.flatMap((note) => note.relays ?? []))];
      const names: DeviceNamesByEUI =
        relays.length === 0 ? new Map() : await namesOfDevices(database, relays, { applicationID });
      const result = page.events.map((event, index) => toFrame(event, notes[index]!, names));
      return { result, ...reachOf(page), isRemote: networks.embedded.isRemote(network_server_id) };
    },
  };
}

function cursorsOf({ before, after, around, limit }: Cursors) {
  const cursors = Object.entries({ before, after, around }).filter(([, cursor]) => cursor !== '');
  if (cursors.length > 1)
    throw invalidFields([{ field: cursors[1]![0], description: 'Give only one of before, after and around.' }]);
  const keys = Object.fromEntries(cursors.map(([name, cursor]): [string, EventKey] => [name, keyOf(cursor)]));
  return { ...keys, limit: limit === 0 ? usualLimit : limit };
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

function toFrame(event: StoredEvent, { relays, refused }: EventNote, names: DeviceNamesByEUI): HistoryFrame {
  const { uplinkFrame: up, downlinkFrame: down } = JSON.parse(event.payload) as PartOf<FrameLogItem>;
  const remarks = {
    ...(relays && { relays: [...relays] }),
    ...(refused !== undefined && { refused: refusalOf(refused as JoinRefusalReason) }),
  };
  const remarked = ({ phyPayloadJSON = '{}' }: { phyPayloadJSON?: string | undefined }) =>
    JSON.stringify({ ...(JSON.parse(phyPayloadJSON) as object), ...remarksJSON(remarks, names) });
  return complete(HistoryFrame, {
    streamID: streamIDOf(event),
    kind: event.type,
    ...(up && { uplinkFrame: { ...up, phyPayloadJSON: remarked(up) } }),
    ...(down && { downlinkFrame: { ...down, phyPayloadJSON: remarked(down) } }),
    noteJSON: event.note ?? '',
  });
}
