import type { Row } from '../case.ts';

/** A figure that may not be higher than `most`. */
export interface Promised {
  name: string;
  found: number;
  most: number;
  /** Out of how many, or in what unit: shown behind the figure. */
  behind?: string;
}

/** One line of the table for some promises that belong together; it is broken when one of them is. */
export function promiseRow(work: string, promises: readonly Promised[]): Row {
  const all = (text: (promise: Promised) => string) => promises.map(text).join(', ');
  return {
    work,
    before: '-',
    target: all(({ most, name }) => `${most} ${name}`),
    ours: all(({ found, behind = '', name }) => `${found}${behind} ${name}`),
    isBroken: promises.some(({ found, most }) => found > most),
  };
}
