import { descriptionLength } from '@hilltop/contract';

/** The most rows of a list that returns descriptions of the full length. */
const fullRows = 1000;

/**
 * The most characters of each description in a list of at most this many rows: four million in all, however long the
 * descriptions of older rows are.
 */
export function descriptionLimit(rows: number): number {
  return Math.floor((descriptionLength * fullRows) / Math.max(rows, fullRows));
}
