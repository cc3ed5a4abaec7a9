/** The history of a device: its stored events, filtered and in pages. */
import { applicationReaders, only } from './access.ts';
import type { EventType } from './events.ts';
import { get, ownOperationsOf } from './operation.ts';
import { bool, count, eui64, list, listOf, message, text, timestamp, uint32, type ValueOf } from './wire.ts';

/** The kinds that integrations, MQTT clients and streams get. */
export const recordedKinds = [
  'up',
  'join',
  'ack',
  'txack',
  'status',
  'error',
  'location',
  'integration',
] as const satisfies readonly EventType[];

/** The kinds that only a history has. */
export const ownKinds = ['downlink', 'frame', 'dropped'] as const;
export type OwnKind = (typeof ownKinds)[number];

/** The kinds of events in a history. */
export const historyKinds = [...recordedKinds, ...ownKinds] as const;

const rowsOfHistory = { label: 'Rows', help: 'At most 500; 0 stands for 50.', min: 0, clamp: 500 } as const;

const cursor = (help: string) =>
  text({
    label: 'Cursor',
    help,
    maxLength: 31,
    pattern: '^\\d{1,15}-\\d{1,15}$',
    message: 'Must be the streamID of an event.',
  });

export const HistoryEvent = message('hilltop.HistoryEvent', {
  /** `<ms>-<seq>`, as in the event stream of the device. */
  streamID: text(),
  kind: text(),
  publishedAt: timestamp(),
  /** As integrations receive it; of a kind that only a history has, JSON of its own. */
  payloadJSON: text(),
  /** An `EventNote`, or empty. */
  noteJSON: text(),
});
export type HistoryEvent = ValueOf<typeof HistoryEvent>;

export const history = ownOperationsOf('history', {
  list: get('/api/devices/{dev_eui}/history', {
    summary: 'List kept events of a device, the newest first',
    request: message('hilltop.ListHistoryRequest', {
      devEUI: eui64({ required: true }),
      before: cursor('Only events before this one.'),
      after: cursor('The first events after this one. At most one of before, after and around.'),
      around: cursor('This event with the ones before and after it.'),
      limit: count(rowsOfHistory),
      kinds: list(text({ values: historyKinds }), { label: 'Kinds', maxEntries: 16 }),
      fPorts: list(uint32({ max: 255 }), { label: 'FPorts', maxEntries: 256, proto: 'f_ports' }),
      gatewayID: eui64({ label: 'Gateway', help: 'Only events with this gateway.' }),
      text: text({
        label: 'Text',
        help: 'Part of payload or note in any letter case, or bytes of the payload in hexadecimal.',
        maxLength: 100,
      }),
      start: timestamp({ label: 'From' }),
      end: timestamp({ label: 'To' }),
    }),
    response: message('hilltop.ListHistoryResponse', {
      result: listOf(HistoryEvent),
      older: text({ label: 'Cursor of older events', help: 'For before; empty: there are none.' }),
      newer: text({ label: 'Cursor of newer events', help: 'For after; empty: the newest page was asked for.' }),
      searchedTo: timestamp({ label: 'Searched back to', help: 'Where the search stopped.' }),
      isComplete: bool({
        label: 'Is complete',
        help: 'False: the search stopped before it found enough. Go on from the cursor.',
      }),
      keptSince: timestamp({ label: 'Kept since', help: 'The time of the oldest kept event.' }),
      maxDays: uint32({ label: 'Days', help: 'Events are removed after so many days; 0: no limit.' }),
      maxEvents: uint32({ label: 'Events', help: 'The most events of a device, the newest ones; 0: no limit.' }),
    }),
    access: only('device', 'devEUI', applicationReaders),
  }),
});
