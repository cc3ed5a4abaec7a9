import type { EventKey } from './event-key.ts';

/** An event as the history stores it. */
export interface HistoryEvent extends EventKey {
  readonly type: string;
  readonly payload: string;
  readonly note: string | null;
}

/** Events in portions, because waiting for each event takes longer than reading it. */
export type Portions<Event = HistoryEvent> = AsyncGenerator<Iterable<Event>>;

/** A part of the history of one device: what the event log has, or what is sealed. */
export interface HistoryPart {
  /** The events before that one, all when undefined; the newest first. */
  older(before: EventKey | undefined): Portions;
  /** The events after that one, the oldest first. */
  newer(after: EventKey): Portions;
  /** The time of the oldest event. */
  since(): Promise<number | undefined>;
}

/** Calls `accept` with one event after the other until it answers false. */
export async function readEach<Event>(portions: Portions<Event>, accept: (event: Event) => boolean): Promise<void> {
  for await (const events of portions) for (const event of events) if (!accept(event)) return;
}
