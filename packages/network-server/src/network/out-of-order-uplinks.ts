import type { Clock } from '../platform/runtime.ts';
import type { Uplink } from '../radio/uplink.ts';
import type { DeviceSession } from '../state/session.ts';

/** Handles uplinks that are processed after later ones of their device, which only happens with peers. */
export interface OutOfOrderUplinks {
  /** Remembers the counters between the last uplink of a session and this one. */
  noteMissed: (session: DeviceSession, fCnt: number) => void;
  /** Whether an uplink may have been transmitted before, or together with, the last one that was processed. */
  mayPrecedeLast: (session: DeviceSession, uplink: Uplink) => boolean;
}

/** A single process handles the uplinks of a device in order. */
export const alwaysInOrder: OutOfOrderUplinks = {
  noteMissed: () => undefined,
  mayPrecedeLast: () => false,
};

/** More than a device sends while a peer pauses for a minute or two. */
const mostMissed = 256;
/** A device does not send again before the first window after its uplink. */
const soonestAgainMs = 1000;

/** A peer may have processed other copies of an uplink, or later uplinks, earlier. */
export function outOfOrderAmongPeers(clock: Clock): OutOfOrderUplinks {
  return {
    noteMissed(session, fCnt) {
      for (let missed = Math.max(session.fCntUp, fCnt - mostMissed); missed < fCnt; missed++)
        session.missed.push(missed);
      session.missed = session.missed.slice(-mostMissed);
    },
    mayPrecedeLast({ lastUplinkAt }, { isTooLateToAnswer, receivedAt = clock.now().getTime() }) {
      if (lastUplinkAt === null) return false;
      return isTooLateToAnswer || receivedAt - lastUplinkAt < soonestAgainMs;
    },
  };
}
