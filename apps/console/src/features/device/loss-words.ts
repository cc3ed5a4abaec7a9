import type { EventNote } from '@hilltop/contract';

/** What is missing before an uplink, and what its counter shows; undefined: nothing. */
export function lossWords(fCnt: number, note: EventNote): string | undefined {
  const { lost = 0, lostWhileStopped = 0, counterJump, counterReset } = note;
  if (counterReset) return 'The device counts anew in the same session';
  if (counterJump !== undefined) return `The frame-counter jumped over ${counterJump} values`;
  if (lost < 0) return 'Processed after later uplinks';
  if (lost === 0) return undefined;
  const counters = lost === 1 ? `FCnt ${fCnt - 1}` : `FCnt ${fCnt - lost} to ${fCnt - 1}`;
  const count = lost === 1 ? '1 uplink lost' : `${lost} uplinks lost`;
  const stopped = lostWhileStopped > 0 ? `, ${lostWhileStopped} while the server was stopped` : '';
  return `${count}, ${counters}${stopped}`;
}
