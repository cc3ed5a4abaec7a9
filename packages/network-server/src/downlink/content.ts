import { encodeMacCommands, type KnownMacCommand, type MacCommand } from '@hilltop/lorawan';
import type { QueueItem } from '../state/state.ts';

/** What goes into one downlink, and what does not. */
export interface Content {
  /** MAC commands beside application data or alone; empty when they go on FPort 0. */
  fOpts: Uint8Array;
  /** MAC commands of more than fifteen bytes. */
  fPort0: Uint8Array | null;
  item: QueueItem | null;
  /** Items that could never be sent at this data-rate. */
  tooLarge: QueueItem[];
  /** The requests that found room. */
  sent: KnownMacCommand[][];
  fPending: boolean;
}

const mostFOpts = 15;

/**
 * Fills a downlink of at most `limit` bytes of FOpts and FRMPayload: answers first, then requests of the network (each
 * block whole or not at all), then the first queued item if it still fits.
 */
export function chooseContent(
  limit: number,
  answers: readonly MacCommand[],
  requests: readonly KnownMacCommand[][],
  items: readonly QueueItem[],
): Content {
  const commands: Uint8Array[] = [];
  const sent: KnownMacCommand[][] = [];
  let size = 0;
  let isLeftOut = false;
  const add = (bytes: Uint8Array): boolean => {
    const fits = size + bytes.length <= limit;
    if (fits) commands.push(bytes);
    if (fits) size += bytes.length;
    else isLeftOut = true;
    return fits;
  };
  for (const answer of answers) add(encodeMacCommands('down', [answer]));
  for (const block of requests) if (add(encodeMacCommands('down', block))) sent.push(block);

  const firstSendable = items.findIndex(({ frmPayload }) => frmPayload.length <= limit);
  const tooLarge = firstSendable === -1 ? [...items] : items.slice(0, firstSendable);
  const waiting = items.slice(tooLarge.length);
  const [head] = waiting;
  const stream = joined(commands, size);
  const isFPort0 = size > mostFOpts;
  const item = head && !isFPort0 && size + head.frmPayload.length <= limit ? head : null;
  return {
    fOpts: isFPort0 ? new Uint8Array() : stream,
    fPort0: isFPort0 ? stream : null,
    item,
    tooLarge,
    sent,
    fPending: isLeftOut || waiting.length > (item ? 1 : 0),
  };
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
