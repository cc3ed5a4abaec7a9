/**
 * Due work is a row in the database with the time at which something must be checked, and no content. The handler reads
 * the rest of the state and decides what to do, so scheduling work twice, or for something that no longer exists, is
 * harmless.
 *
 * - To schedule work, put `{ kind: 'askDue', work, at }` into the transaction that makes it necessary.
 * - With `leaseUntil` that transaction claims the work for this instance, which starts it when it is on disk.
 * - The scheduler claims a row by moving its time to the end of a lease (`claimDue`) and calls the handler of its kind
 * (`due/kinds.ts`).
 * - The handler ends it with `{ kind: 'settleDue', claim, next }` in the transaction that uses up a frame counter. When
 * a process ends before that, the row is claimed again after the lease.
 */
export interface DueWork {
  kind: DueKind;
  /** The subject of the work: unique within the kind. */
  key: string;
}

export type DueKind =
  /** The queue of a class B or C device. Key: its DevEUI. */
  | 'queue'
  /**
   * Class B: the queue of a multicast group at one gateway. Key: `<group id>/<gateway id>`.
   *
   * Class C: the queues of all groups at one gateway. Key: `/<gateway id>`.
   */
  | 'multicast';

/** Claimed work. Scheduling the same work in the meantime creates a new claim, which settling this one does not end. */
export interface DueClaim extends DueWork {
  turn: number;
}
