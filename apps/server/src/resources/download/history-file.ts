import {
  byteOrderMark,
  type CSVCell,
  csvLine,
  type EventNote,
  type EventPayloads,
  operations,
  type PartOf,
  type RequestOf,
  type ResponseOf,
} from '@hilltop/contract';
import type { CallForFile, DownloadFile } from './file.ts';

const { list, listFrames } = operations.history;
type HistoryRequest = RequestOf<typeof list>;
export type StoredEvent = ResponseOf<typeof list>['result'][number];

/** The most rows of a page. */
const limit = 500;
const mostColumns = 200;
const deepestMember = 8;

/** What a page has: events, or frames. */
type PagedOperation = typeof list | typeof listFrames;
type ItemOf<O extends PagedOperation> = ResponseOf<O>['result'][number];

/** The items that match, the newest first, in pages. `before` is the cursor to begin at, or empty. */
export async function* pagesOf<O extends PagedOperation>(
  operation: O,
  request: RequestOf<O>,
  call: CallForFile,
  before = '',
): AsyncGenerator<readonly ItemOf<O>[]> {
  for (let cursor = before; ; ) {
    const page = await call(operation, { ...request, before: cursor, after: '', around: '', limit });
    if (!page) throw new Error('The device was deleted, or the right to read it was taken away, during a download.');
    yield page.result;
    if (page.older === '') return;
    cursor = page.older;
  }
}

const fileName = ({ devEUI }: HistoryRequest, extension: string) => `device-${devEUI}-events.${extension}`;

/** One JSON object per line. */
export function eventsAsLines(request: HistoryRequest, call: CallForFile): DownloadFile {
  return { name: fileName(request, 'ndjson'), parts: lines(request, call) };
}

async function* lines(request: HistoryRequest, call: CallForFile): AsyncGenerator<string> {
  for await (const events of pagesOf(list, request, call))
    yield events.map((event) => `${eventLine(event)}\n`).join('');
}

/** Payload and note are JSON already. */
function eventLine({ streamID, kind, publishedAt, payloadJSON, noteJSON }: StoredEvent): string {
  const head = JSON.stringify({ streamID, kind, publishedAt }).slice(0, -1);
  return `${head},"payload":${payloadJSON},"note":${noteJSON || 'null'}}`;
}

/** A column for each decoded value follows the columns that all events have. */
export function eventsAsCSV(request: HistoryRequest, call: CallForFile): DownloadFile {
  return { name: fileName(request, 'csv'), parts: csv(request, call) };
}

async function* csv(request: HistoryRequest, call: CallForFile): AsyncGenerator<string> {
  const { names, before } = await valueNamesOf(request, call);
  const columns = [...names].slice(0, mostColumns);
  const hasMore = names.size > mostColumns;
  yield byteOrderMark + csvLine([...Object.keys(commonCells), ...columns, ...(hasMore ? ['otherValues'] : [])]);
  if (before === '') return;
  for await (const events of pagesOf(list, request, call, before)) {
    const text = events.map((event) => {
      const read = readEvent(event);
      const values = valuesOf(read.payload);
      const cells = columns.map((name) => values.get(name));
      const others = [...values].filter(([name]) => !columns.includes(name));
      return csvLine([
        ...Object.values(commonCells).map((cellOf) => cellOf(read)),
        ...cells,
        ...(hasMore && others.length > 0 ? [JSON.stringify(Object.fromEntries(others))] : []),
      ]);
    });
    yield text.join('');
  }
}

/** The names of all decoded values, and the cursor before which these events are: later ones may have other values. */
async function valueNamesOf(
  request: HistoryRequest,
  call: CallForFile,
): Promise<{ names: Set<string>; before: string }> {
  const names = new Set<string>();
  let before = '';
  for await (const events of pagesOf(list, request, call)) {
    if (before === '' && events[0]) before = cursorAfter(events[0].streamID);
    // One name more than there are columns says that there are others.
    for (const event of events)
      if (names.size <= mostColumns) for (const name of valuesOf(readEvent(event).payload).keys()) names.add(name);
  }
  return { names, before };
}

function cursorAfter(streamID: string): string {
  const [ms, seq] = streamID.split('-');
  return `${ms}-${Number(seq) + 1}`;
}

type AnyPayload = PartOf<EventPayloads['up'] & { gatewayID: string }>;
interface ReadEvent {
  readonly event: StoredEvent;
  readonly payload: AnyPayload;
  readonly note: EventNote;
}

function readEvent(event: StoredEvent): ReadEvent {
  const payload = JSON.parse(event.payloadJSON) as AnyPayload;
  return { event, payload, note: JSON.parse(event.noteJSON || '{}') as EventNote };
}

const commonCells: Readonly<Record<string, (read: ReadEvent) => CSVCell>> = {
  time: ({ event }) => event.publishedAt,
  kind: ({ event }) => event.kind,
  fCnt: ({ payload }) => payload.fCnt,
  fPort: ({ payload }) => payload.fPort,
  dr: ({ payload }) => payload.dr,
  frequency: ({ payload }) => payload.txInfo?.frequency,
  rssi: ({ note }) => note.bestRSSI,
  snr: ({ note }) => note.bestSNR,
  gateways: ({ note }) => note.gatewayCount,
  lost: ({ note }) => note.lost,
  data: ({ payload }) => payload.data && Buffer.from(payload.data, 'base64').toString('hex'),
};

/** The decoded values by their names joined with a dot. */
function valuesOf({ objectJSON }: AnyPayload): Map<string, CSVCell> {
  const values = new Map<string, CSVCell>();
  const add = (value: unknown, path: readonly string[]): void => {
    if (typeof value !== 'object' || value === null) values.set(path.join('.'), value as CSVCell);
    else if (path.length === deepestMember) values.set(path.join('.'), JSON.stringify(value));
    else for (const [name, member] of Object.entries(value)) add(member, [...path, name]);
  };
  if (objectJSON) add(JSON.parse(objectJSON), []);
  values.delete('');
  return values;
}
