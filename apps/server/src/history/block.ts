import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { historyKinds } from '@hilltop/contract';
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
  const lines = unpackText(bytes).split('\n');
  const events: HistoryEvent[] = [];
  for (let line = 0; line + 2 < lines.length; line += 3) {
    const [at, seq, type] = lines[line]!.split(' ');
    events.push({
      at: Number(at),
      seq: Number(seq),
      type: type!,
      note: lines[line + 1] || null,
      payload: lines[line + 2]!,
    });
  }
  return events;
}
