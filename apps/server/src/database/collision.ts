/** Two transactions wanted the same rows in another order, and the database ended one of them: to be run again. */
export class Collision extends Error {
  constructor(cause: unknown) {
    super('The database ended a transaction that collided with another one.', { cause });
    this.name = 'Collision';
  }
}
