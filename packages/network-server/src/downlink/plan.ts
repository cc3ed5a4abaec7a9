import type { QueueItem } from '../state/state.ts';
import { chooseContent, type DownlinkContent, type PendingContent, sizeOf } from './content.ts';

/** The content of each window, in the order in which the gateway should try them. */
export interface DownlinkPlan<Window> {
  /** Windows with the same content share the object. */
  sends: { window: Window; content: DownlinkContent }[];
  /** The queued item that is sent. */
  item: QueueItem | null;
  /** A queued item waits because MAC commands need the space. */
  isItemPassedOver: boolean;
  /** Items that are too large for every window. */
  tooLarge: QueueItem[];
}

/**
 * Fills the windows of a response. When a later window has space for the next item, an earlier one that is too small
 * stays empty, because a gateway that accepts the earlier one never tries the later one. A window that is too small for
 * everything gets what the device waits for (`isAwaited`) as a separate frame, or nothing.
 */
export function planDownlink<Window extends { limit: number }>(
  windows: readonly Window[],
  pending: PendingContent,
  isAwaited: boolean,
): DownlinkPlan<Window> {
  const widest = Math.max(...windows.map(({ limit }) => limit));
  const firstFitting = pending.items.findIndex(({ frmPayload }) => frmPayload.length <= widest);
  const tooLarge = pending.items.slice(0, firstFitting === -1 ? undefined : firstFitting);
  const sendable = { ...pending, items: pending.items.slice(tooLarge.length) };

  const [head] = sendable.items;
  const window = windows.find(({ limit }) => !head || head.frmPayload.length <= limit);
  const first = window && { window, content: chooseContent(window.limit, sendable) };
  const item = first?.content.item ?? null;
  const plan = { item, isItemPassedOver: head !== undefined && item === null, tooLarge };
  if (!first || !(isAwaited || item || sizeOf(first.content) > 0)) return { ...plan, sends: [] };

  const sends = [first];
  for (const window of windows.slice(windows.indexOf(first.window) + 1)) {
    if (sizeOf(first.content) <= window.limit) sends.push({ window, content: first.content });
    else if (isAwaited) sends.push({ window, content: withoutItem(window.limit, sendable) });
  }
  return { ...plan, sends };
}

function withoutItem(limit: number, pending: PendingContent): DownlinkContent {
  const content = chooseContent(limit, { ...pending, items: [] });
  return { ...content, fPending: content.fPending || pending.items.length > 0 };
}
