/** The position of an entry in time: milliseconds, then a number that orders entries of one millisecond. */
export type Order = readonly [number, number];

/**
 * `1677665730125-12` as two numbers. As text, entries of one millisecond would be ordered wrongly from the tenth on.
 */
export function orderOfStreamID(streamID: string): Order {
  const [milliseconds = '0', sequence = '0'] = streamID.split('-');
  return [Number(milliseconds), Number(sequence)];
}

/** An RFC 3339 instant with up to nine decimals, as milliseconds and the nanoseconds below them. */
export function orderOfInstant(instant: string): Order {
  const decimals = /\.(\d+)/.exec(instant)?.[1] ?? '';
  return [Date.parse(instant), Number(decimals.padEnd(9, '0').slice(3, 9))];
}

/** Negative when `a` is older than `b`, 0 for the same position. */
export function compareOrder(a: Order, b: Order): number {
  return a[0] - b[0] || a[1] - b[1];
}
