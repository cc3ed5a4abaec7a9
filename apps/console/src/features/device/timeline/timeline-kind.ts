import type { AuditChange, Quantities } from '@hilltop/contract';
import { operationWords } from '../../../components/audit/operation-words.ts';
import { stepText, windowText } from '../../../components/downlink/downlink-words.ts';
import { dropWords } from '../../../components/frame-log/drop-words.ts';
import { base64ToHex } from '../../../components/live-log/identifiers.ts';
import type { Chip, DetailTree, Headline, LogCells, LogKind, Tone } from '../../../components/live-log/log-kind.ts';
import { noteCells, radioColumnsWithout, radioWords } from '../../../components/live-log/radio.ts';
import { type EventItem, eventKind, eventKindWith } from '../event-kind.ts';
import { lossWords } from '../loss-words.ts';
import type { TimelineItem } from './exchanges.ts';

/** Members of rows that only the history has. */
interface OwnPayload {
  readonly direction?: 'up' | 'down';
  readonly mType?: string;
  readonly devAddr?: string;
  readonly devNonce?: number;
  readonly fCnt?: number;
  readonly fPort?: number;
  readonly gatewayID?: string;
  readonly window?: string;
  readonly frequency?: number;
  readonly dr?: number;
  readonly step?: string;
  readonly reason?: string;
  readonly bytes?: number;
  readonly limit?: number;
  readonly by?: string;
  readonly ack?: boolean;
  readonly more?: number;
  readonly operation?: string;
  readonly changes?: readonly AuditChange[];
}

/** Every kind of row. Quantity and unit of decoded numbers come from the note. */
export const timelineKind: LogKind<TimelineItem> = {
  noun: 'event',
  typeWidth: '6.5em',
  chipsLabel: 'Values',
  columns: radioColumnsWithout('fPort', 'dataRate'),
  words: radioWords,
  orderOf: ({ atMs }) => [atMs, 0],
  identityOf: ({ streamID }) => streamID,
  headlineOf,
  detailsOf,
  noticeOf: ({ payload, note }) => lossWords(payload.fCnt ?? 0, note),
  bytesOf: (item) => eventKind.bytesOf?.(asEvent(item)),
  exportOf: ({ event }) => event,
};

const asEvent = ({ event }: TimelineItem): EventItem => ({ ...event, type: event.kind }) as EventItem;
const recordedKind = (quantities: Quantities | undefined) => eventKindWith(() => quantities);

function headlineOf(item: TimelineItem): Headline {
  const own = ownHeadlines[item.kind];
  if (own) return { at: item.publishedAt, ...own(item.payload as OwnPayload), ...withReception(item, ownCells(item)) };
  const headline = recordedKind(item.note.quantities).headlineOf(asEvent(item));
  return { ...headline, ...withReception(item, headline.cells) };
}

/** Reception without the gateways, which the service-profile may leave out. */
function withReception({ note }: TimelineItem, cells: LogCells = {}): { cells: LogCells } {
  return { cells: { ...noteCells(note), ...cells } };
}

function ownCells({ payload }: TimelineItem): LogCells {
  const { fCnt, fPort, frequency, dr } = payload as OwnPayload;
  return {
    ...(fCnt !== undefined && { fCnt: String(fCnt) }),
    ...(fPort !== undefined && { fPort: String(fPort) }),
    ...(dr !== undefined && { dataRate: `DR${dr}` }),
    ...(frequency !== undefined && { frequency: String(frequency / 1e6) }),
  };
}

const ownHeadlines: Readonly<Record<string, (payload: OwnPayload) => Omit<Headline, 'at' | 'cells'>>> = {
  downlink: (payload) => {
    const { step = '', reason = '', bytes = 0, limit = 0 } = payload;
    // As in recorded events, the gateway of a step is in base64.
    const path = { ...payload, gatewayID: base64ToHex(payload.gatewayID ?? '') };
    const tone = stepTones[step] ?? 'down';
    const text = stepText({ step, reason, bytes, limit });
    return { type: 'downlink', tone, chips: [{ text, ...toneOfChip(tone) }, ...pathChips(path)] };
  },
  frame: (payload) => ({
    type: 'frame',
    tone: payload.mType?.startsWith('Join') ? 'join' : payload.direction === 'down' ? 'down' : 'up',
    chips: [{ text: frameWords(payload) }, ...pathChips(payload)],
  }),
  dropped: ({ reason = '', more, mType }) => ({
    type: 'dropped',
    tone: 'bad',
    chips:
      more === undefined
        ? [{ text: dropWords[reason] ?? reason, tone: 'bad' }, ...(mType ? [{ text: mType }] : [])]
        : [{ text: `and ${more} more in that hour`, tone: 'bad' }],
  }),
  change: ({ operation = '', by = '', changes = [] }) => ({
    type: 'change',
    tone: 'plain',
    chips: [
      { text: operationWords(operation) },
      ...(by ? [{ text: `by ${by}` }] : []),
      ...(changes.length > 0 ? [{ text: changes.map(({ field }) => field).join(', ') }] : []),
    ],
  }),
};

const toneOfChip = (tone: Tone): Pick<Chip, 'tone'> =>
  tone === 'bad' ? { tone: 'bad' } : tone === 'attention' ? { tone: 'attention' } : {};

const pathChips = ({ window, gatewayID, by }: OwnPayload): Chip[] => [
  ...(window ? [{ text: windowText(window) }] : []),
  ...(gatewayID ? [{ text: `GW: ${gatewayID}` }] : []),
  ...(by ? [{ text: `by ${by}` }] : []),
];

function frameWords({ direction, mType = 'Unknown', ack, devAddr, devNonce }: OwnPayload): string {
  if (mType === 'JoinRequest') return devNonce === undefined ? 'Join-request' : `Join-request, DevNonce ${devNonce}`;
  if (mType === 'JoinAccept') return devAddr ? `Join-accept, DevAddr ${devAddr}` : 'Join-accept';
  if (mType === 'RejoinRequest') return 'Rejoin-request';
  if (direction === 'down') return ack ? 'Acknowledgement' : 'MAC commands';
  return mType;
}

/** The tones of the steps of a downlink; the others are like any downlink. */
const stepTones: Readonly<Record<string, Tone>> = {
  QUEUED: 'plain',
  CANCELED: 'plain',
  ACKNOWLEDGED: 'good',
  TOO_LARGE: 'bad',
  GATEWAY_REFUSED: 'attention',
  NO_GATEWAY: 'attention',
  DUTY_CYCLE: 'attention',
  UNACKNOWLEDGED: 'attention',
  FLUSHED: 'attention',
  REJOINED: 'attention',
  SESSION_REPLACED: 'attention',
  EXPIRED: 'attention',
};

function detailsOf(item: TimelineItem): readonly DetailTree[] {
  if (!ownHeadlines[item.kind]) return eventKind.detailsOf?.(asEvent(item)) ?? [];
  const payload = { title: 'Payload', value: item.payload };
  return Object.keys(item.note).length === 0 ? [payload] : [payload, { title: 'Note', value: item.note }];
}
