import type { FrameLogItem } from './frame-log.ts';
import { hexOf } from './matches-history.ts';
import type { PartOf } from './wire.ts';

/** What frames are filtered by: their type, or that the network server dropped them. */
export const frameKinds = ['uplink', 'downlink', 'join-request', 'join-accept', 'rejoin-request', 'dropped'] as const;
export type FrameKind = (typeof frameKinds)[number];

/** The conditions for frames. Empty ones accept every frame. */
export interface FrameFilter {
  readonly kinds?: readonly string[];
  readonly text?: string;
  /** ISO 8601. */
  readonly start?: string | null;
  readonly end?: string | null;
}

/** Members of a decoded frame. */
interface DecodedFrame {
  readonly mhdr?: { readonly mType?: string };
  readonly dropped?: unknown;
  readonly refused?: unknown;
}

const kindOfType: Readonly<Record<string, FrameKind>> = {
  JoinRequest: 'join-request',
  JoinAccept: 'join-accept',
  RejoinRequest: 'rejoin-request',
};

/** The kind of a frame with that message type. */
export const frameKindOf = (mType: string | undefined, direction: 'up' | 'down'): FrameKind =>
  kindOfType[mType ?? ''] ?? (direction === 'up' ? 'uplink' : 'downlink');

/**
 * Whether frames match a filter: build the function once, and call it for each frame. The server filters the history with
 * it, the console the live frames.
 */
export function matchesFrames(filter: FrameFilter): (frame: PartOf<FrameLogItem>) => boolean {
  const kinds = new Set(filter.kinds);
  const needle = filter.text?.toLowerCase() ?? '';
  const from = filter.start ? Date.parse(filter.start) : Number.NEGATIVE_INFINITY;
  const to = filter.end ? Date.parse(filter.end) : Number.POSITIVE_INFINITY;

  return ({ uplinkFrame, downlinkFrame }) => {
    const { phyPayloadJSON = '{}', publishedAt } = uplinkFrame ?? downlinkFrame ?? {};
    const at = Date.parse(publishedAt ?? '');
    if (at < from || at > to) return false;
    if (kinds.size > 0) {
      const { mhdr, dropped, refused } = JSON.parse(phyPayloadJSON) as DecodedFrame;
      const isDropped = dropped !== undefined || refused !== undefined;
      const kind = frameKindOf(mhdr?.mType, uplinkFrame ? 'up' : 'down');
      if (!kinds.has(kind) && !(isDropped && kinds.has('dropped'))) return false;
    }
    const gateways = () => [
      downlinkFrame?.gatewayID ?? '',
      ...(uplinkFrame?.rxInfo ?? []).map(({ gatewayID }) => hexOf(gatewayID ?? '')),
    ];
    return (
      needle === '' ||
      phyPayloadJSON.toLowerCase().includes(needle) ||
      gateways().some((gatewayID) => gatewayID.includes(needle))
    );
  };
}
