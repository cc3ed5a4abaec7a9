import type { ApiError, AuditSubjectKind, Message, Operation } from '@hilltop/contract';
import type { Principal } from '../../identity/principals.ts';

/** What a job is to do. */
export interface JobOrder<Parameters = unknown> {
  /** Null for jobs of the whole installation. */
  readonly organizationID: number | null;
  readonly parameters: Parameters;
}

/** A record of a job. */
export interface JobSubject {
  readonly subject: string;
  /** For users: it is shown when the record has gone. */
  readonly name: string;
  /** What the kind needs besides the subject. Seal secrets. */
  readonly input?: string;
}

/** The value that a row had and the one it has now, both of JSON; undo puts the first back. */
export interface RowChange {
  readonly before: unknown;
  readonly after: unknown;
}

/** Who runs a row, with the rights of now. */
export interface RowCaller {
  readonly principal: NonNullable<Principal>;
  /** The name of the starter, for records. */
  readonly by: string;
}

/** A call that the starter must have the right for. */
export interface RowCall {
  readonly operation: Operation;
  readonly request: object;
}

/** What the audit log says about a row. */
export interface RowAudit {
  readonly subject: AuditSubjectKind;
  /** The key of the operation that does the same to one record. */
  readonly operation: string;
  /** The fields of the members in `RowChange`: a row without a change has no entry. Absent: its changes are not shown. */
  readonly fields?: Message['fields'] | undefined;
  /** Another organization that gets or loses the record: its audit log has the same entry. */
  readonly otherOrganizationID?: number | undefined;
}

/** One kind of jobs. All functions throw ApiError or RpcError to refuse. */
export interface JobKind<Parameters = never> {
  /** The rights that a row needs; decided before each row, in its transaction. */
  access: (subject: string, order: JobOrder<Parameters>) => readonly RowCall[];
  /** Decided before the row is run, in its transaction. */
  audit: (row: JobSubject, order: JobOrder<Parameters>) => RowAudit | Promise<RowAudit>;
  /** The records, in pages. A crash repeats it. */
  subjects: (order: JobOrder<Parameters>) => AsyncIterable<readonly JobSubject[]>;
  /** Runs one row, in the transaction that stores its outcome. Answers what undo needs, if anything. */
  run: (row: JobSubject, order: JobOrder<Parameters>, caller: RowCaller) => Promise<RowChange | undefined>;
  /** Puts back what a row changed, in the same way. Throws `CHANGED_SINCE` when it has another value by now. */
  undo?: (
    row: JobSubject & RowChange,
    order: JobOrder<Parameters>,
    caller: RowCaller,
  ) => Promise<RowChange | undefined>;
  /** Refuses a job that no row could run, before it is stored. Answers the name of its target. */
  check?: (order: JobOrder<Parameters>, caller: RowCaller) => Promise<string>;
  /** Begins a rehearsal; the function it answers takes the subjects page by page, and answers the refused ones. */
  rehearse?: (order: JobOrder<Parameters>, caller: RowCaller) => Promise<RehearsePage>;
  /** Called when all rows have an outcome, before the job is done. May be repeated after a crash. */
  finish?: (order: JobOrder<Parameters>, jobID: string) => Promise<void>;
}

export type RehearsePage = (subjects: readonly JobSubject[]) => Promise<ReadonlyMap<string, ApiError>>;

/** Kinds by their name. */
export type JobKinds = Readonly<Record<string, JobKind>>;
