/**
 * What was typed as a number, or the text itself when it is none: a box never turns it into another number. Spaces may
 * group the digits; a comma reads as a point.
 */
export function parseNumber(typed: string): number | string {
  const bare = typed.replace(/\s/g, '');
  if (bare === '') return '';
  return /^-?\d+([.,]\d+)?$/.test(bare) ? Number(bare.replace(',', '.')) : typed;
}

/** What is wrong with the value of a number box, in one sentence, or null. */
export function numberProblem(value: number | string, decimals: number): string | null {
  if (typeof value === 'string') return 'This must be a number.';
  if (decimals === 0 && !Number.isInteger(value)) return 'This must be a whole number.';
  return null;
}
