/** A payload or script that cannot be used; the message is written for the person who wrote the script. */
export class CodecError extends Error {
  override readonly name: string = 'CodecError';
}

/** The script was not run, because it is paused. The error of the call that began the pause has said so. */
export class CodecPausedError extends CodecError {
  override readonly name = 'CodecPausedError';
}
