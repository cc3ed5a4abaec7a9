/**
 * Rows of tags and variables: a map while it is edited, where names may still be empty or duplicate. Pure functions.
 */

export interface KeyValueRow {
  readonly name: string;
  readonly value: string;
}

/** A map as rows, sorted by name. */
export function rowsOf(record: Readonly<Record<string, string>> | null | undefined): KeyValueRow[] {
  return Object.entries(record ?? {})
    .map(([name, value]) => ({ name, value }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Rows as a map, names trimmed, without empty rows. Call it only when `keyValueProblems` finds nothing. */
export function recordOf(rows: readonly KeyValueRow[]): Record<string, string> {
  const filled = rows.filter((row) => !isEmpty(row));
  return Object.fromEntries(filled.map((row) => [row.name.trim(), row.value]));
}

/** The error of each row's name, by index: missing although there is a value, or duplicate. */
export function keyValueProblems(rows: readonly KeyValueRow[]): (string | null)[] {
  const seen = new Set<string>();
  return rows.map((row) => {
    if (isEmpty(row)) return null;
    const name = row.name.trim();
    if (name === '') return 'Enter a name for this value.';
    if (seen.has(name)) return `The name ${name} is used twice.`;
    seen.add(name);
    return null;
  });
}

/** The first error of the rows as one sentence, for the summary of a form. */
export function keyValueProblem(rows: readonly KeyValueRow[]): string | null {
  return keyValueProblems(rows).find((problem) => problem !== null) ?? null;
}

function isEmpty(row: KeyValueRow): boolean {
  return row.name.trim() === '' && row.value === '';
}
