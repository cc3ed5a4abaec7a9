import {
  byteOrderMark,
  type CSVCell,
  csvLine,
  type EventNote,
  type HistoryFrame,
  operations,
  type RequestOf,
} from '@hilltop/contract';
import type { CallForFile, DownloadFile } from './file.ts';
import { pagesOf } from './history-file.ts';

const { listFrames } = operations.history;
type FramesRequest = RequestOf<typeof listFrames>;

const fileName = ({ devEUI }: FramesRequest, extension: string) => `device-${devEUI}-frames.${extension}`;

/** One JSON object per line. */
export function framesAsLines(request: FramesRequest, call: CallForFile): DownloadFile {
  return { name: fileName(request, 'ndjson'), parts: lines(request, call) };
}

async function* lines(request: FramesRequest, call: CallForFile): AsyncGenerator<string> {
  for await (const frames of pagesOf(listFrames, request, call))
    yield frames.map((frame) => `${JSON.stringify(lineOf(frame))}\n`).join('');
}

function lineOf({ streamID, kind, uplinkFrame, downlinkFrame, noteJSON }: HistoryFrame): object {
  const { phyPayloadJSON, ...frame } = (uplinkFrame ?? downlinkFrame)!;
  const direction = uplinkFrame ? 'up' : 'down';
  return { streamID, kind, direction, ...frame, phyPayload: parsed(phyPayloadJSON), note: parsed(noteJSON || 'null') };
}

export function framesAsCSV(request: FramesRequest, call: CallForFile): DownloadFile {
  return { name: fileName(request, 'csv'), parts: csv(request, call) };
}

async function* csv(request: FramesRequest, call: CallForFile): AsyncGenerator<string> {
  yield byteOrderMark + csvLine(Object.keys(cells));
  for await (const frames of pagesOf(listFrames, request, call)) yield frames.map(csvLineOf).join('');
}

/** Members of a decoded frame. */
interface DecodedFrame {
  readonly mhdr?: { readonly mType?: string };
  readonly macPayload?: {
    readonly devEUI?: string;
    readonly devAddr?: string;
    readonly fhdr?: { readonly devAddr?: string; readonly fCnt?: number };
    readonly fPort?: number | null;
  };
  readonly dropped?: string;
  readonly refused?: { readonly reason: string };
}

interface FrameCells {
  readonly frame: HistoryFrame;
  readonly decoded: DecodedFrame;
  readonly note: EventNote;
}

function csvLineOf(frame: HistoryFrame): string {
  const { phyPayloadJSON } = (frame.uplinkFrame ?? frame.downlinkFrame)!;
  const read: FrameCells = {
    frame,
    decoded: parsed(phyPayloadJSON) as DecodedFrame,
    note: parsed(frame.noteJSON || '{}') as EventNote,
  };
  return csvLine(Object.values(cells).map((cellOf) => cellOf(read)));
}

const parsed = (json: string): unknown => JSON.parse(json);
const sentOf = ({ uplinkFrame, downlinkFrame }: HistoryFrame) => (uplinkFrame ?? downlinkFrame)!;

const cells: Readonly<Record<string, (read: FrameCells) => CSVCell>> = {
  time: ({ frame }) => sentOf(frame).publishedAt,
  direction: ({ frame }) => (frame.uplinkFrame ? 'up' : 'down'),
  mType: ({ decoded }) => decoded.mhdr?.mType,
  devAddr: ({ decoded: { macPayload } }) => macPayload?.fhdr?.devAddr ?? macPayload?.devAddr,
  devEUI: ({ decoded }) => decoded.macPayload?.devEUI,
  fCnt: ({ decoded }) => decoded.macPayload?.fhdr?.fCnt,
  fPort: ({ decoded }) => decoded.macPayload?.fPort ?? undefined,
  frequency: ({ frame }) => sentOf(frame).txInfo?.frequency,
  spreadingFactor: ({ frame }) => sentOf(frame).txInfo?.loRaModulationInfo?.spreadingFactor,
  rssi: ({ note }) => note.bestRSSI,
  snr: ({ note }) => note.bestSNR,
  gateways: ({ note }) => note.gatewayCount,
  sentBy: ({ frame }) => frame.downlinkFrame?.gatewayID,
  macCommands: ({ note }) => note.mac?.map(({ name }) => name).join(' '),
  dropped: ({ decoded: { dropped, refused } }) => refused?.reason ?? dropped,
};
