import type { EventKey } from './event-key.ts';

/** An event as the history stores it. */
export interface HistoryEvent extends EventKey {
  readonly type: string;
  readonly payload: string;
  readonly note: string | null;
}

/** A part of the history of one device: what the event log has, or what is sealed. */
export interface HistoryPart {
  /** The events before that one, all when undefined; the newest first. */
  older(before: EventKey | undefined): AsyncGenerator<HistoryEvent>;
  /** The events after that one, the oldest first. */
  newer(after: EventKey): AsyncGenerator<HistoryEvent>;
  /** The time of the oldest event. */
  since(): Promise<number | undefined>;
}
