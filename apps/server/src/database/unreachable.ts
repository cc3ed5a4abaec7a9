/** The database did not answer: it cannot be reached, it is stopping, or all connections to it were busy for too long. */
export class Unreachable extends Error {
  constructor(cause: unknown) {
    super('The database does not respond.', { cause });
    this.name = 'Unreachable';
  }
}
