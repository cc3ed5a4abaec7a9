/**
 * A constraint of the schema refused a write. `unique`: such a row exists already; `missing`: a referenced row does not
 * exist; `inUse`: other rows still refer to the one to be deleted. The errors of both databases are converted to this
 * one.
 */
export class Violation extends Error {
  readonly kind: 'unique' | 'missing' | 'inUse';
  /** Table and columns or the constraint's name, as reported by the database; for logs only. */
  readonly detail: string;
  /** The columns that must be unique. */
  readonly columns: readonly string[];

  constructor(kind: Violation['kind'], detail: string, cause: unknown, columns: readonly string[] = []) {
    super(`The database refused the write (${kind}): ${detail}`, { cause });
    this.name = 'Violation';
    this.kind = kind;
    this.detail = detail;
    this.columns = columns;
  }
}
