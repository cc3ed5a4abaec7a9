import type { QueueItem } from '../state/state.ts';
import { type Content, chooseContent, sizeOf, type ToSay } from './content.ts';

/** The content of each window, in the order in which the gateway shall try them. */
export interface Plan<Window> {
  /** Windows with one and the same content share the object. */
  sends: { window: Window; content: Content }[];
  /** The queued item that is sent. */
  item: QueueItem | null;
  /** A queued item waits because MAC commands need the room. */
  isItemPassedOver: boolean;
  /** Items that no window has room for. */
  tooLarge: QueueItem[];
}

/**
 * Fills the windows of a response. When a later window has room for the next item, an earlier one that is too small
 * stays empty: a gateway that accepts that one never tries the later one. A window too small for everything gets what
 * the device waits for (`isAwaited`) as a frame of its own, or nothing.
 */
export function planDownlink<Window extends { limit: number }>(
  windows: readonly Window[],
  toSay: ToSay,
  isAwaited: boolean,
): Plan<Window> {
  const widest = Math.max(...windows.map(({ limit }) => limit));
  const sendable = toSay.items.findIndex(({ frmPayload }) => frmPayload.length <= widest);
  const tooLarge = toSay.items.slice(0, sendable === -1 ? undefined : sendable);
  const said = { ...toSay, items: toSay.items.slice(tooLarge.length) };

  const [head] = said.items;
  const window = windows.find(({ limit }) => !head || head.frmPayload.length <= limit);
  const first = window && { window, content: chooseContent(window.limit, said) };
  const item = first?.content.item ?? null;
  const plan = { item, isItemPassedOver: head !== undefined && item === null, tooLarge };
  if (!first || !(isAwaited || item || sizeOf(first.content) > 0)) return { ...plan, sends: [] };

  const sends = [first];
  for (const window of windows.slice(windows.indexOf(first.window) + 1)) {
    if (sizeOf(first.content) <= window.limit) sends.push({ window, content: first.content });
    else if (isAwaited) sends.push({ window, content: withoutItem(window.limit, said) });
  }
  return { ...plan, sends };
}

function withoutItem(limit: number, said: ToSay): Content {
  const content = chooseContent(limit, { ...said, items: [] });
  return { ...content, fPending: content.fPending || said.items.length > 0 };
}
