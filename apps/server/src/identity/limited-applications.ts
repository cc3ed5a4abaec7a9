/** The applications that a membership is limited to, as stored: a JSON list, or null for all. */

export function readApplicationIDs(stored: string | null): string[] {
  return stored === null ? [] : (JSON.parse(stored) as string[]);
}

export function writeApplicationIDs(ids: readonly string[]): string | null {
  return ids.length === 0 ? null : JSON.stringify(ids);
}
