/**
 * A rule of the schema refused a write. `unique`: such a row exists already; `missing`: a row it points to does not exist;
 * `inUse`: other rows still point to the one to be deleted. Both databases' errors become this one, so nobody else reads
 * their codes.
 */
export class Violation extends Error {
  readonly kind: 'unique' | 'missing' | 'inUse';
  /** Table and columns or the constraint's name, as the database said it; for logs only. */
  readonly detail: string;
  /** What must be unique, as columns. */
  readonly columns: readonly string[];

  constructor(kind: Violation['kind'], detail: string, cause: unknown, columns: readonly string[] = []) {
    super(`The database refused the write (${kind}): ${detail}`, { cause });
    this.name = 'Violation';
    this.kind = kind;
    this.detail = detail;
    this.columns = columns;
  }
}
