/** The database ended a transaction that locked the same rows as another one in another order: it must run again. */
export class Collision extends Error {
  constructor(cause: unknown) {
    super('The database ended a transaction that collided with another one.', { cause });
    this.name = 'Collision';
  }
}
