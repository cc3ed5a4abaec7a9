import { encodeMacCommands, type KnownMacCommand, type MacCommand } from '@hilltop/lorawan';
import type { QueueItem } from '../state/state.ts';

/** The pending content for a device. */
export interface PendingContent {
  answers: readonly MacCommand[];
  /** Blocks of requests of the network, each to be sent whole or not at all. */
  requests: readonly KnownMacCommand[][];
  /** The queue; only its first item can be included. */
  items: readonly QueueItem[];
  /** The first item has waited long enough: commands only get the remaining space. */
  isItemFirst: boolean;
}

/** The part that goes into one downlink. */
export interface DownlinkContent {
  /** MAC commands with application data or alone; empty when they go on FPort 0. */
  fOpts: Uint8Array;
  /** MAC commands of more than fifteen bytes. */
  fPort0: Uint8Array | null;
  item: QueueItem | null;
  /** The requests that fit. */
  sent: KnownMacCommand[][];
  fPending: boolean;
}

const mostFOpts = 15;

/**
 * Fills a downlink of at most `limit` bytes of FOpts and FRMPayload: answers first, then requests, then the first queued
 * item if it still fits; or the item first.
 */
export function chooseContent(
  limit: number,
  { answers, requests, items, isItemFirst }: PendingContent,
): DownlinkContent {
  const [head] = items;
  const room = head && isItemFirst ? Math.min(limit - head.frmPayload.length, mostFOpts) : limit;
  const commands: Uint8Array[] = [];
  const sent: KnownMacCommand[][] = [];
  let size = 0;
  let isLeftOut = false;
  const add = (bytes: Uint8Array): boolean => {
    const fits = size + bytes.length <= room;
    if (fits) commands.push(bytes);
    if (fits) size += bytes.length;
    else isLeftOut = true;
    return fits;
  };
  for (const answer of answers) add(encodeMacCommands('down', [answer]));
  for (const block of requests) if (add(encodeMacCommands('down', block))) sent.push(block);

  const stream = joined(commands, size);
  const isFPort0 = size > mostFOpts;
  const item = head && !isFPort0 && size + head.frmPayload.length <= limit ? head : null;
  return {
    fOpts: isFPort0 ? new Uint8Array() : stream,
    fPort0: isFPort0 ? stream : null,
    item,
    sent,
    fPending: isLeftOut || items.length > (item ? 1 : 0),
  };
}

/** Bytes of FOpts and FRMPayload. */
export function sizeOf({ fOpts, fPort0, item }: DownlinkContent): number {
  return fOpts.length + (fPort0 ?? item?.frmPayload ?? '').length;
}

/** MHDR, FHDR without FOpts, MIC. */
const emptyFrame = 12;

/** Bytes of the whole frame. */
export function frameLength(content: DownlinkContent): number {
  return emptyFrame + sizeOf(content) + (content.item || content.fPort0 ? 1 : 0);
}

function joined(parts: readonly Uint8Array[], size: number): Uint8Array {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
