/** What a codec throws when bytes or a frame value do not fit their layout. Nothing else is thrown on malformed input. */
export class FrameError extends Error {
  readonly field: string;
  /** Byte offset at which the trouble was met, counted from the start of what was being read or written. */
  readonly offset: number;

  constructor(field: string, offset: number, reason: string) {
    super(`${field} at byte ${offset}: ${reason}.`);
    this.name = 'FrameError';
    this.field = field;
    this.offset = offset;
  }
}
