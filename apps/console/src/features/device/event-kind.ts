import {
  type DeviceEventItem,
  type EventNote,
  type EventPayloads,
  type EventType,
  isSimulated,
  type PartOf,
  type Quantities,
} from '@hilltop/contract';
import { formatBytes } from '../../components/live-log/bytes-format.ts';
import { base64ToHex, base64ToUUID, parsedJson, readableRxInfo } from '../../components/live-log/identifiers.ts';
import type { Chip, DetailTree, Headline, LogCells, LogKind, Tone } from '../../components/live-log/log-kind.ts';
import { orderOfStreamID } from '../../components/live-log/log-order.ts';
import { radioColumnsWithout, radioWords, receptionCells, transmissionCells } from '../../components/live-log/radio.ts';
import { type NamedValue, valuesOf } from '../../components/values/values.ts';
import { lossWords } from './loss-words.ts';

/** One item of a device's event stream. Those of the history have a note. */
export type EventItem = DeviceEventItem & { readonly noteJSON?: string };

type AllOf<T> = (T extends unknown ? (one: T) => void : never) extends (all: infer All) => void ? All : never;
/** Members that any event may have. */
type Payload = PartOf<AllOf<EventPayloads[EventType]>>;

/** Answers quantity and unit of the decoded numbers of an uplink; undefined when its codec returns none. */
export type QuantitiesOf = (uplink: EventItem) => Quantities | undefined;

/** Device events as sent to integrations, with readable identifiers. */
export const eventKind: LogKind<EventItem> = {
  noun: 'event',
  typeWidth: '4.5em',
  chipsLabel: 'Values',
  columns: radioColumnsWithout('fPort', 'dataRate'),
  words: radioWords,
  orderOf: (item) => orderOfStreamID(item.streamID),
  identityOf: (item) => item.streamID,
  headlineOf: (item) => headlineOf(item),
  detailsOf,
  noticeOf,
  bytesOf: (item) => payloadOf(item).data || undefined,
  exportOf: (item) => ({ publishedAt: item.publishedAt, type: item.type, payload: readablePayload(item) }),
};

/** The same with the units of values. */
export const eventKindWith = (quantitiesOf: QuantitiesOf): LogKind<EventItem> => ({
  ...eventKind,
  headlineOf: (item) => headlineOf(item, quantitiesOf(item)),
});

/** The summary of an event. */
export function payloadOf(item: EventItem): Payload {
  const parsed = parsedJson(item.payloadJSON);
  return typeof parsed === 'object' && parsed !== null ? parsed : {};
}

/** The payload with base64 identifiers as hex or UUID and the decoded object as a tree. Payload data stays base64. */
export function readablePayload(item: EventItem): object {
  const payload = payloadOf(item);
  const { objectJSON, ...rest } = payload;
  return {
    ...rest,
    ...(payload.devEUI ? { devEUI: base64ToHex(payload.devEUI) } : {}),
    ...(payload.devAddr ? { devAddr: base64ToHex(payload.devAddr) } : {}),
    ...(payload.gatewayID ? { gatewayID: base64ToHex(payload.gatewayID) } : {}),
    ...(payload.rxInfo ? { rxInfo: payload.rxInfo.map((one) => readableRxInfo(one)) } : {}),
    ...(payload.uplinkIDs ? { uplinkIDs: payload.uplinkIDs.map(base64ToUUID) } : {}),
    ...(objectJSON ? { objectJSON: parsedJson(objectJSON) } : {}),
  };
}

/** Whether a user sent it as the device. */
export const isSimulatedEvent = ({ tags }: Payload): boolean => tags !== undefined && isSimulated(tags);

const simulatedChip: Chip = { text: 'simulated', tone: 'attention' };

function objectOf({ objectJSON }: Payload): unknown {
  return objectJSON ? parsedJson(objectJSON) : undefined;
}

/** The values of an uplink, or the whole object when it contains only lists; nothing when it was not decoded. */
export function decodedValues(uplink: EventItem, most: number, quantities?: Quantities): NamedValue[] {
  const { objectJSON } = payloadOf(uplink);
  if (!objectJSON) return [];
  const values = valuesOf(parsedJson(objectJSON), most, quantities);
  return values.length > 0 ? values : [{ name: 'object', text: objectJSON }];
}

/** What the history has in addition; empty for live events. */
function noteOf({ noteJSON }: EventItem): EventNote {
  return noteJSON ? (parsedJson(noteJSON) as EventNote) : {};
}

function detailsOf(item: EventItem): DetailTree[] {
  const object = objectOf(payloadOf(item));
  const note = noteOf(item);
  return [
    ...(object === undefined ? [] : [{ title: 'Decoded object', value: object }]),
    { title: 'Payload', value: readablePayload(item), folded: ['rxInfo', 'txInfo'] },
    ...(Object.keys(note).length === 0 ? [] : [{ title: 'Note', value: note }]),
  ];
}

/** What is missing before an uplink. Busy logs do not parse the notes of all rows. */
function noticeOf(item: EventItem): string | undefined {
  if (!item.noteJSON?.includes('"lost"') && !item.noteJSON?.includes('"counter')) return undefined;
  return lossWords(payloadOf(item).fCnt ?? 0, noteOf(item));
}

const warningChips = (item: EventItem): Chip[] =>
  (noteOf(item).warnings ?? []).map((text) => ({ text, tone: 'attention' }));

const mostValues = 3;

/** The first decoded values: `moisture: 22.5`. */
const valueChips = (payload: Payload, quantities?: Quantities): Chip[] =>
  valuesOf(objectOf(payload), mostValues, quantities).map(({ name, text }) => ({
    text: name,
    value: text,
    tone: 'value',
  }));

/** Port and bytes of an uplink that was not decoded: `3: 01000999`. */
const bytesChips = ({ fPort = 0, data }: Payload): Chip[] =>
  data ? [{ text: `${fPort}: ${formatBytes(data, 'hex')}` }] : [];

const tones: Record<string, Tone> = {
  up: 'up',
  join: 'join',
  txack: 'down',
  ack: 'good',
  status: 'plain',
  error: 'bad',
};

function headlineOf(item: EventItem, quantities?: Quantities): Headline {
  const payload = payloadOf(item);
  const isMissingAck = item.type === 'ack' && payload.acknowledged !== true;
  return {
    at: item.publishedAt ?? '',
    type: item.type,
    tone: isMissingAck ? 'attention' : (tones[item.type] ?? 'plain'),
    chips: [
      ...(isSimulatedEvent(payload) ? [simulatedChip] : []),
      ...(chipsOf[item.type]?.(payload, quantities) ?? []),
      ...warningChips(item),
    ],
    cells: cellsOf[item.type]?.(payload) ?? {},
  };
}

const countOf = ({ fCnt }: Payload) => ({ fCnt: String(fCnt ?? 0) });

const cellsOf: Record<string, (payload: Payload) => LogCells> = {
  up: (payload) => ({
    ...countOf(payload),
    fPort: String(payload.fPort ?? 0),
    ...transmissionCells(payload.txInfo),
    ...receptionCells(payload.rxInfo),
  }),
  ack: countOf,
  txack: (payload) => ({ ...countOf(payload), ...transmissionCells(payload.txInfo) }),
};

const chipsOf: Record<string, (payload: Payload, quantities?: Quantities) => Chip[]> = {
  up: (payload, quantities) => [
    ...(payload.objectJSON ? valueChips(payload, quantities) : bytesChips(payload)),
    ...(payload.confirmedUplink ? [{ text: 'Confirmed' }] : []),
  ],
  join: (payload) => [{ text: `DevAddr: ${base64ToHex(payload.devAddr ?? '')}` }],
  status: (payload) => [{ text: `Margin: ${payload.margin ?? 0}` }, { text: batteryText(payload) }],
  ack: ({ acknowledged }) => [
    acknowledged ? { text: 'acknowledged' } : { text: 'not acknowledged', tone: 'attention' },
  ],
  txack: (payload) => [{ text: `GW: ${base64ToHex(payload.gatewayID ?? '')}` }],
  error: ({ type, error }) => [{ text: type ?? 'UNKNOWN', tone: 'bad' }, ...(error ? [{ text: error }] : [])],
};

function batteryText({ externalPowerSource, batteryLevelUnavailable, batteryLevel }: Payload): string {
  if (externalPowerSource) return 'External power';
  return batteryLevelUnavailable ? 'Battery: n/a' : `Battery: ${Math.round(batteryLevel ?? 0)}%`;
}
