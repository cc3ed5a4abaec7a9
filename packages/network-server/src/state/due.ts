/**
 * Work that is due at a time, kept on disk: one row for each thing that is to be looked at, whatever there is to do
 * about it. A row holds no content. Who takes it decides from the rest of the state, so that asking twice, or for what
 * is gone by then, does no harm.
 *
 * - To ask for work, put `{ kind: 'askDue', work, at }` into the unit that makes it necessary.
 * - The scheduler takes a row by moving its time to the end of a lease (`claimDue`) and calls the handler of its kind
 *   (`due/kinds.ts`).
 * - The handler ends it with `{ kind: 'settleDue', claim, next }` in the unit that spends what it is about to send. A
 *   process that dies before leaves the row to be taken again when the lease is over.
 */
export interface DueWork {
  kind: DueKind;
  /** What it is about: unique within the kind. */
  key: string;
}

export type DueKind =
  /** The queue of a device that listens without having sent (class B and C). Key: its DevEUI. */
  | 'queue'
  /** Class B: what waits for a multicast-group at one gateway. Key: `<group id>/<gateway id>`.
   *  Class C: what waits for any of them at one gateway. Key: `/<gateway id>`. */
  | 'multicast';

/** Work taken. Whoever asks for the same work meanwhile begins another turn, which this claim does not end. */
export interface DueClaim extends DueWork {
  turn: number;
}
