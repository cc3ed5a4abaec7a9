/** How long nothing is sent after the n-th failure of an endpoint in a row, from 1: a random part of it keeps many apart. */
export function pauseMs(failures: number, random: () => number): number {
  const longest = Math.min(300_000, 1000 * 2 ** failures);
  return longest / 2 + (longest / 2) * random();
}

const second = 1000;
const minute = 60 * second;

/** What an endpoint refused may be taken later, and soon is not worth trying any more. */
const ofRefused = [10 * second, minute, 5 * minute];
/** What an endpoint fails on while others pass. */
const ofUnlucky = [30 * second, 2 * minute, 10 * minute, 30 * minute];

/**
 * How long an event that is set aside waits after its n-th failure there, from 1; undefined when it is to be given up.
 * Unlucky ones go on, once an hour, until they are too old.
 */
export function retryMs(why: 'refused' | 'unlucky', failures: number, random: () => number): number | undefined {
  if (why === 'refused') return ofRefused[failures - 1];
  const wait = ofUnlucky[failures - 1] ?? 60 * minute;
  return wait * (0.8 + 0.4 * random());
}
