/** Rows behind tags and variables: a map as the person edits it, where names may still be empty or twice. Pure. */

export interface KeyValueRow {
  readonly name: string;
  readonly value: string;
}

/** A map as rows, in the order the names sort. */
export function rowsOf(record: Readonly<Record<string, string>> | null | undefined): KeyValueRow[] {
  return Object.entries(record ?? {})
    .map(([name, value]) => ({ name, value }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Rows as a map, names trimmed. Wholly empty rows are left out. Call it only when `keyValueProblems` finds nothing. */
export function recordOf(rows: readonly KeyValueRow[]): Record<string, string> {
  const filled = rows.filter((row) => !isEmpty(row));
  return Object.fromEntries(filled.map((row) => [row.name.trim(), row.value]));
}

/** What is wrong with the name of each row, by index: missing although there is a value, or used before. */
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

/** The first problem of the rows as one sentence, for a form's error summary. */
export function keyValueProblem(rows: readonly KeyValueRow[]): string | null {
  return keyValueProblems(rows).find((problem) => problem !== null) ?? null;
}

function isEmpty(row: KeyValueRow): boolean {
  return row.name.trim() === '' && row.value === '';
}
