/**
 * Due work is a row in the database that says when something must be looked at, and has no content. The handler reads
 * the rest of the state and decides what to do, so asking twice, or for something that is gone by then, does no harm.
 *
 * - To ask for work, put `{ kind: 'askDue', work, at }` into the transaction that makes it necessary.
 * - The scheduler claims a row by moving its time to the end of a lease (`claimDue`) and calls the handler of its kind
 *   (`due/kinds.ts`).
 * - The handler ends it with `{ kind: 'settleDue', claim, next }` in the transaction that spends a frame counter. When
 *   a process ends before that, the row is claimed again after the lease.
 */
export interface DueWork {
  kind: DueKind;
  /** The subject of the work: unique within the kind. */
  key: string;
}

export type DueKind =
  /** The queue of a device that listens without having sent (class B and C). Key: its DevEUI. */
  | 'queue'
  /**
   * Class B: the queue of a multicast group at one gateway. Key: `<group id>/<gateway id>`.
   *
   * Class C: the queues of all groups at one gateway. Key: `/<gateway id>`.
   */
  | 'multicast';

/**
 * Work that was claimed. Who asks for the same work in the meantime gets a new claim, which settling this one does not
 * end.
 */
export interface DueClaim extends DueWork {
  turn: number;
}
