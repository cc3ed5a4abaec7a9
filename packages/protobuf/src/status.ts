/** The gRPC status codes with their numbers; all interfaces use them as error codes. */
export const Status = {
  OK: 0,
  Canceled: 1,
  Unknown: 2,
  InvalidArgument: 3,
  DeadlineExceeded: 4,
  NotFound: 5,
  AlreadyExists: 6,
  PermissionDenied: 7,
  ResourceExhausted: 8,
  FailedPrecondition: 9,
  Aborted: 10,
  OutOfRange: 11,
  Unimplemented: 12,
  Internal: 13,
  Unavailable: 14,
  DataLoss: 15,
  Unauthenticated: 16,
} as const;
export type Status = keyof typeof Status;

/** A refused or failed call: `code` is the name of a status, the message is a sentence for users. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: Status;

  constructor(code: Status, text: string, options?: ErrorOptions) {
    super(text, options);
    this.code = code;
  }

  /** The gRPC number of `code`. */
  get number(): number {
    return Status[this.code];
  }
}
