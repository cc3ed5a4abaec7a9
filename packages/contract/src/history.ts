/** The history of a device: its stored events and LoRaWAN frames, filtered and in pages. */
import { applicationReaders, only } from './access.ts';
import { DownlinkFrameLog, UplinkFrameLog } from './frame-log.ts';
import { historyKinds } from './history-kinds.ts';
import { frameKinds } from './matches-frames.ts';
import { get, ownOperationsOf } from './operation.ts';
import {
  alternative,
  bool,
  count,
  eui64,
  list,
  listOf,
  message,
  text,
  timestamp,
  uint32,
  type ValueOf,
} from './wire.ts';

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

/** A frame of the history, from the event that it caused. */
export const HistoryFrame = message('hilltop.HistoryFrame', {
  /** Of the event. */
  streamID: text(),
  kind: text(),
  /** As in the frame stream of the device; without gateways that the service-profile does not add to events. */
  uplinkFrame: alternative(UplinkFrameLog),
  downlinkFrame: alternative(DownlinkFrameLog),
  /** An `EventNote`, or empty. */
  noteJSON: text(),
});
export type HistoryFrame = ValueOf<typeof HistoryFrame>;

const pageOf = {
  before: cursor('Only events before this one.'),
  after: cursor('The first events after this one. At most one of before, after and around.'),
  around: cursor('This event with the ones before and after it.'),
  limit: count(rowsOfHistory),
} as const;

const times = { start: timestamp({ label: 'From' }), end: timestamp({ label: 'To', notBefore: 'start' }) } as const;

const reach = {
  older: text({ label: 'Cursor of older events', help: 'For before; empty: there are none.' }),
  newer: text({ label: 'Cursor of newer events', help: 'For after; empty: the newest page was asked for.' }),
  searchedTo: timestamp({ label: 'Searched back to', help: 'Where the search stopped.' }),
  isComplete: bool({
    label: 'Is complete',
    help: 'False: the search stopped before it found enough. Go on from the cursor.',
  }),
  storedSince: timestamp({ label: 'Stored since', help: 'The time of the oldest stored event.' }),
  maxDays: uint32({ label: 'Days', help: 'Events are removed after so many days; 0: no limit.' }),
  maxEvents: uint32({ label: 'Events', help: 'The most events of a device, the newest ones; 0: no limit.' }),
} as const;

export const history = ownOperationsOf('history', {
  list: get('/api/devices/{dev_eui}/history', {
    summary: 'List stored events of a device, the newest first',
    request: message('hilltop.ListHistoryRequest', {
      devEUI: eui64({ required: true }),
      ...pageOf,
      kinds: list(text({ values: historyKinds }), { label: 'Kinds', maxEntries: 16 }),
      fPorts: list(uint32({ max: 255 }), { label: 'FPorts', maxEntries: 256, proto: 'f_ports' }),
      gatewayID: eui64({ label: 'Gateway', help: 'Only events with this gateway.' }),
      text: text({
        label: 'Text',
        help: 'Part of payload or note in any letter case, or bytes of the payload in hexadecimal.',
        maxLength: 100,
      }),
      ...times,
    }),
    response: message('hilltop.ListHistoryResponse', {
      result: listOf(HistoryEvent),
      ...reach,
    }),
    access: only('device', 'devEUI', applicationReaders),
  }),
  listFrames: get('/api/devices/{dev_eui}/history/frames', {
    summary: 'List stored LoRaWAN frames of a device, the newest first',
    request: message('hilltop.ListHistoryFramesRequest', {
      devEUI: eui64({ required: true }),
      ...pageOf,
      kinds: list(text({ values: frameKinds }), { label: 'Kinds', maxEntries: 16 }),
      text: text({
        label: 'Text',
        help: 'Part of a DevAddr, EUI, MAC command or anything else in the decoded frame, in any letter case.',
        maxLength: 100,
      }),
      ...times,
    }),
    response: message('hilltop.ListHistoryFramesResponse', {
      result: listOf(HistoryFrame),
      ...reach,
      isRemote: bool({ label: 'Is remote', help: 'True: the network-server of the device reports no frames.' }),
    }),
    access: only('device', 'devEUI', applicationReaders),
  }),
});
