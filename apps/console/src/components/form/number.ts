/**
 * The number that the user typed, or the text itself when it is not a number. Spaces may group digits; a comma is a
 * decimal point.
 */
export function parseNumber(typed: string): number | string {
  const bare = typed.replace(/\s/g, '');
  if (bare === '') return '';
  return /^-?\d+([.,]\d+)?$/.test(bare) ? Number(bare.replace(',', '.')) : typed;
}

/** The error of the value of a number box, as one sentence, or null. */
export function numberProblem(value: number | string, decimals: number): string | null {
  if (typeof value === 'string') return 'This must be a number.';
  if (decimals === 0 && !Number.isInteger(value)) return 'This must be a whole number.';
  return null;
}
