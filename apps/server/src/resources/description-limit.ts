import { descriptionLength } from '@hilltop/contract';

/** Rows of a list that answers descriptions of the full length. */
const fullRows = 1000;

/**
 * How many characters of each description a list of at most this many rows answers: at most four million together, however
 * long the descriptions of older rows are.
 */
export function descriptionLimit(rows: number): number {
  return Math.floor((descriptionLength * fullRows) / Math.max(rows, fullRows));
}
