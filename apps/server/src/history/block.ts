import { constants, type ZstdOptions, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { historyKinds } from '@hilltop/contract/history-kinds';
import { compareKeys, type EventKey } from './event-key.ts';
import type { HistoryEvent } from './part.ts';

/** The most events of a block, and the most bytes before packing that another event is added to. */
export const mostInBlock = 256;
export const mostUnpacked = 400_000;
/** The bytes that a row and its indexes need besides the packed events. */
export const blockOverhead = 150;

/** The bit of each kind, which blocks store; all kinds of later releases share the last bit. */
const bits = new Map<string, number>(historyKinds.map((kind, index) => [kind, 1 << index]));
export const otherKinds = 1 << 30;
export const bitOf = (kind: string): number => bits.get(kind) ?? otherKinds;

const packing = { params: { [constants.ZSTD_c_compressionLevel]: 3 } };

/** Three lines for each event: its key and kind, its note, its payload. JSON has no line breaks. */
export function textOf({ at, seq, type, note, payload }: HistoryEvent): string {
  return `${at} ${seq} ${type}\n${note ?? ''}\n${payload}\n`;
}

export function packText(text: string): Uint8Array {
  return zstdCompressSync(text, packing);
}

export function unpackText(bytes: Uint8Array): string {
  return zstdDecompressSync(bytes).toString('utf8');
}

/** The oldest first. */
export function unpackEvents(bytes: Uint8Array): HistoryEvent[] {
  return eventsOf(unpackText(bytes));
}

/** The events of such lines. */
export function eventsOf(text: string): HistoryEvent[] {
  const lines = text.split('\n');
  const events: HistoryEvent[] = [];
  for (let line = 0; line + 2 < lines.length; line += 3)
    events.push({ ...keyAndType(lines[line]!), note: lines[line + 1] || null, payload: lines[line + 2]! });
  return events;
}

function keyAndType(line: string) {
  const [at, seq, type] = line.split(' ');
  return { at: Number(at), seq: Number(seq), type: type! };
}

const lineBreak = 0x0a;
/** Text that is not ASCII has more bytes than its length says. */
const spareBytes = 1024;

/**
 * Node.js frees an engine, with its output, only when V8 collects all garbage, for which these outputs are the main
 * reason: without them, short collections suffice.
 */
function unpack(bytes: Uint8Array, size: number): Buffer {
  const options: ZstdOptions & { info: true } = { chunkSize: size, info: true };
  const { buffer, engine } = zstdDecompressSync(bytes, options) as unknown as { buffer: Buffer; engine: object };
  Reflect.set(engine, '_outBuffer', null);
  return buffer;
}

/** The events of a block before a key, all without one, the newest first. It decodes an event when it is reached. */
export function* unpackNewestFirst(
  { bytes, unpacked }: { bytes: Uint8Array; unpacked: number },
  before?: EventKey,
): Generator<HistoryEvent> {
  const text = unpack(bytes, unpacked + spareBytes);
  for (let end = text.length - 1; end > 0; ) {
    const payloadFrom = text.lastIndexOf(lineBreak, end - 1) + 1;
    const noteFrom = text.lastIndexOf(lineBreak, payloadFrom - 2) + 1;
    const from = text.lastIndexOf(lineBreak, noteFrom - 2) + 1;
    const event = keyAndType(text.toString('latin1', from, noteFrom - 1));
    if (!before || compareKeys(event, before) < 0)
      yield {
        ...event,
        note: text.toString('utf8', noteFrom, payloadFrom - 1) || null,
        payload: text.toString('utf8', payloadFrom, end),
      };
    end = from - 1;
  }
}
