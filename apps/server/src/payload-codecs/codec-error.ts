/** A payload or script that cannot be used; the message is written for the person who wrote the script. */
export class CodecError extends Error {
  override readonly name = 'CodecError';
}
