import type { FrameLogItem, PartOf } from '@hilltop/contract';
import { parsedJson, readableRxInfo } from '../live-log/identifiers.ts';
import type { Chip, DetailTree, Headline, LogCells, LogKind, Tone } from '../live-log/log-kind.ts';
import { orderOfInstant } from '../live-log/log-order.ts';
import { radioColumnsWithout, radioWords, receptionCells, transmissionCells } from '../live-log/radio.ts';

/** One item of the frame stream of a device or a gateway: exactly one member is set. */
export type FrameItem = PartOf<FrameLogItem>;

interface PhyPayload {
  readonly mhdr?: { readonly mType?: string };
  readonly macPayload?: {
    readonly devEUI?: string;
    readonly fPort?: number | null;
    readonly fhdr?: { readonly devAddr?: string; readonly fCnt?: number };
  };
  /** Why the join was refused. */
  readonly refused?: { readonly reason: string; readonly sentence: string };
  /** The relay that forwarded the frame; without a name when it belongs to another application. */
  readonly relays?: readonly { readonly devEUI: string; readonly name: string }[];
}

/** LoRaWAN frames as transmitted, with encrypted payloads. */
export const frameKind: LogKind<FrameItem> = {
  noun: 'frame',
  typeWidth: '12.5em',
  chipsLabel: 'Notes',
  columns: [
    { name: 'device', label: 'Device', width: '9.5em' },
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

function phyPayloadOf(item: FrameItem): PhyPayload {
  const parsed = parsedJson(frameOf(item).phyPayloadJSON);
  return typeof parsed === 'object' && parsed !== null ? parsed : {};
}

function headlineOf(item: FrameItem): Headline {
  const frame = frameOf(item);
  const phy = phyPayloadOf(item);
  const mac = phy.macPayload;
  const type = phy.mhdr?.mType ?? 'Unknown';
  const gatewayID = item.downlinkFrame?.gatewayID;
  const chips: Chip[] = [
    ...(phy.refused ? [{ text: `Refused: ${phy.refused.sentence}`, tone: 'bad' as const }] : []),
    ...(phy.relays ?? []).map(({ devEUI, name }) => ({ text: `through relay ${name || devEUI}` })),
    ...(gatewayID ? [{ text: `GW: ${gatewayID}` }] : []),
  ];
  const cells = {
    device: mac?.fhdr?.devAddr ?? mac?.devEUI,
    fCnt: mac?.fhdr?.fCnt?.toString(),
    fPort: mac?.fPort?.toString(),
    ...transmissionCells(frame.txInfo),
    ...receptionCells(item.uplinkFrame?.rxInfo),
  };
  return { at: frame.publishedAt, type, tone: tones[groupOfFrame(item, type)], chips, cells: withoutEmpty(cells) };
}

function withoutEmpty(cells: Record<string, string | undefined>): LogCells {
  return Object.fromEntries(
    Object.entries(cells).filter((cell): cell is [string, string] => cell[1] !== undefined && cell[1] !== ''),
  );
}

/** What a log of frames is filtered by. */
export const frameGroups = ['uplink', 'downlink', 'join'] as const;
type FrameGroup = (typeof frameGroups)[number];

const tones: Readonly<Record<FrameGroup, Tone>> = { uplink: 'up', downlink: 'down', join: 'join' };

export function groupOfFrame(item: FrameItem, type = phyPayloadOf(item).mhdr?.mType ?? ''): FrameGroup {
  if (type.includes('Join')) return 'join';
  return item.uplinkFrame ? 'uplink' : 'downlink';
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
