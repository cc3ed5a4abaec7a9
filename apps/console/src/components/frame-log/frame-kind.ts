import { type EventNote, type FrameKind, type FrameLogItem, frameKindOf, type PartOf } from '@hilltop/contract';
import { parsedJson, readableRxInfo } from '../live-log/identifiers.ts';
import type { Chip, DetailTree, Headline, LogCells, LogKind, Tone } from '../live-log/log-kind.ts';
import { orderOfInstant } from '../live-log/log-order.ts';
import { noteCells, radioColumnsWithout, radioWords, receptionCells, transmissionCells } from '../live-log/radio.ts';
import { dropWords } from './drop-words.ts';

/** One item of the frame stream of a device or a gateway: exactly one member is set. Those of the history have a note. */
export type FrameItem = PartOf<FrameLogItem> & { readonly noteJSON?: string };

interface PhyPayload {
  readonly mhdr?: { readonly mType?: string };
  readonly mic?: string;
  readonly macPayload?: {
    readonly devEUI?: string;
    /** Of a join-accept. */
    readonly devAddr?: string;
    readonly fPort?: number | null;
    readonly fhdr?: { readonly devAddr?: string; readonly fCnt?: number };
  };
  /** Why the join was refused. */
  readonly refused?: { readonly reason: string; readonly sentence: string };
  /** Why the network server dropped the frame. */
  readonly dropped?: string;
  /** The relay that forwarded the frame; without a name when it belongs to another application. */
  readonly relays?: readonly { readonly devEUI: string; readonly name: string }[];
}

/** LoRaWAN frames as transmitted, with encrypted payloads. */
export const frameKind: LogKind<FrameItem> = {
  noun: 'frame',
  typeWidth: '11.7em',
  chipsLabel: 'Notes',
  columns: [
    { name: 'device', label: 'Device', width: '9.8em' },
    // A DevEUI leaves no room for them on a phone.
    ...radioColumnsWithout('fPort', 'snr'),
  ],
  words: radioWords,
  orderOf: (item) => orderOfInstant(frameOf(item).publishedAt),
  identityOf: (item) => JSON.stringify(item),
  headlineOf,
  detailsOf,
  exportOf,
};

function frameOf({ uplinkFrame, downlinkFrame }: FrameItem) {
  const { txInfo, phyPayloadJSON, publishedAt } = uplinkFrame ?? downlinkFrame ?? {};
  return { txInfo, phyPayloadJSON: phyPayloadJSON ?? '{}', publishedAt: publishedAt ?? '' };
}

export function phyPayloadOf(item: FrameItem): PhyPayload {
  const parsed = parsedJson(frameOf(item).phyPayloadJSON);
  return typeof parsed === 'object' && parsed !== null ? parsed : {};
}

const noteOf = ({ noteJSON }: FrameItem) => JSON.parse(noteJSON || '{}') as EventNote;

function headlineOf(item: FrameItem): Headline {
  const frame = frameOf(item);
  const phy = phyPayloadOf(item);
  const mac = phy.macPayload;
  const type = phy.mhdr?.mType ?? 'Unknown';
  const gatewayID = item.downlinkFrame?.gatewayID;
  const chips: Chip[] = [
    ...refusalChips(phy),
    ...(phy.relays ?? []).map(({ devEUI, name }) => ({ text: `through relay ${name || devEUI}` })),
    ...(gatewayID ? [{ text: `GW: ${gatewayID}` }] : []),
  ];
  const cells = {
    device: mac?.fhdr?.devAddr ?? mac?.devEUI ?? mac?.devAddr,
    fCnt: mac?.fhdr?.fCnt?.toString(),
    fPort: mac?.fPort?.toString(),
    ...transmissionCells(frame.txInfo),
    ...noteCells(noteOf(item)),
    ...receptionCells(item.uplinkFrame?.rxInfo),
  };
  return { at: frame.publishedAt, type, tone: toneOf(item, phy), chips, cells: withoutEmpty(cells) };
}

function withoutEmpty(cells: Record<string, string | undefined>): LogCells {
  return Object.fromEntries(
    Object.entries(cells).filter((cell): cell is [string, string] => cell[1] !== undefined && cell[1] !== ''),
  );
}

function refusalChips({ refused, dropped }: PhyPayload): Chip[] {
  if (refused) return [{ text: `Refused: ${refused.sentence}`, tone: 'bad' }];
  return dropped === undefined ? [] : [{ text: `Dropped: ${dropWords[dropped] ?? dropped}`, tone: 'bad' }];
}

const tones: Readonly<Record<FrameKind, Tone>> = {
  uplink: 'up',
  downlink: 'down',
  'join-request': 'join',
  'join-accept': 'join',
  'rejoin-request': 'join',
  dropped: 'bad',
};

function toneOf({ uplinkFrame }: FrameItem, { mhdr, dropped }: PhyPayload): Tone {
  return tones[dropped === undefined ? frameKindOf(mhdr?.mType, uplinkFrame ? 'up' : 'down') : 'dropped'];
}

function readable({ uplinkFrame, downlinkFrame }: FrameItem) {
  if (uplinkFrame)
    return { txInfo: uplinkFrame.txInfo, rxInfo: uplinkFrame.rxInfo?.map((one) => readableRxInfo(one)) ?? [] };
  return { gatewayID: downlinkFrame?.gatewayID, txInfo: downlinkFrame?.txInfo };
}

function detailsOf(item: FrameItem): DetailTree[] {
  return [
    { title: item.uplinkFrame ? 'Received' : 'Sent', value: readable(item) },
    { title: 'PHYPayload', value: phyPayloadOf(item) },
  ];
}

function exportOf(item: FrameItem) {
  return { publishedAt: frameOf(item).publishedAt, ...readable(item), phyPayload: phyPayloadOf(item) };
}
