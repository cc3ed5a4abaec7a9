import type { Row } from '../case.ts';

/** A figure that must not exceed `most`. */
export interface Promised {
  name: string;
  found: number;
  most: number;
  /** The total or the unit, shown after the figure. */
  behind?: string;
}

/** One row of the table for related figures. It fails when one of them is exceeded. */
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
