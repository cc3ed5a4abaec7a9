/** The position of an event among those of its device: the parts of its stream id, `<ms>-<seq>`. */
export interface EventKey {
  readonly at: number;
  readonly seq: number;
}

/** Neither part ever decreases along the events of a device. */
export function compareKeys(one: EventKey, other: EventKey): number {
  return one.at - other.at || one.seq - other.seq;
}

export const streamIDOf = ({ at, seq }: EventKey): string => `${at}-${seq}`;

export function keyOf(streamID: string): EventKey {
  const [at, seq] = streamID.split('-').map(Number);
  return { at: at!, seq: seq! };
}

/** The key after all events. */
export const keyAfterAll: EventKey = { at: Number.MAX_SAFE_INTEGER, seq: 0 };

/** The key before all events of that time or later. */
export const keyAt = (ms: number): EventKey => ({ at: ms, seq: -1 });
