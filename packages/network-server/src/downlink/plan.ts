import type { QueueItem } from '../state/state.ts';
import { type Content, chooseContent, sizeOf, type ToSay } from './content.ts';

/** What is said in which window, in the order in which the gateway shall try. */
export interface Plan<Window> {
  /** Windows with one and the same content share the object. */
  sends: { window: Window; content: Content }[];
  /** The queued item that goes along. */
  item: QueueItem | null;
  /** There is one, and it waits for the sake of MAC commands. */
  isItemPassedOver: boolean;
  /** Items that no window has room for. */
  tooLarge: QueueItem[];
}

/**
 * Fills the windows of a response. A window too small for the next item is left to a later one that has room for it: a
 * gateway that took it would never try that one. A window too small for all of it gets what the device waits for
 * (`isAwaited`) as a frame of its own, or nothing.
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
