/** A payload or script cannot be used. The message is for the author of the script. */
export class CodecError extends Error {
  override readonly name: string = 'CodecError';
  /** Where the script failed; undefined for payloads and when it is unknown. Both count from 1. */
  readonly position: { line: number; column: number } | undefined;

  constructor(message: string, position?: { line: number; column: number }) {
    super(message);
    this.position = position;
  }
}

/** The script did not run, as it is paused. The error of the call that caused the pause has informed its author. */
export class CodecPausedError extends CodecError {
  override readonly name = 'CodecPausedError';
}
