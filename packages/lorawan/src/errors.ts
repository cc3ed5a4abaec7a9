/** Thrown by every codec when bytes or a frame value do not fit their layout. Malformed input causes no other error. */
export class FrameError extends Error {
  readonly field: string;
  /** Byte offset of the problem, counted from the start of the input or output. */
  readonly offset: number;

  constructor(field: string, offset: number, reason: string) {
    super(`${field} at byte ${offset}: ${reason}.`);
    this.name = 'FrameError';
    this.field = field;
    this.offset = offset;
  }
}
