/** "0, 1, 2" as numbers; parts that are not numbers are ignored. */
export const parseNumbers = (text: string): number[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => /^\d+$/.test(part))
    .map(Number);

export const formatNumbers = (numbers: readonly number[]): string => numbers.join(', ');

/** The error of a list of whole numbers separated by commas, as one sentence, or null. */
export function numberListProblem(text: string, example = '0, 1, 2'): string | null {
  if (!/^\s*\d+(\s*,\s*\d+)*\s*$/.test(text)) return `List whole numbers separated by commas, such as ${example}.`;
  const numbers = parseNumbers(text);
  const repeated = numbers.find((number, index) => numbers.indexOf(number) !== index);
  return repeated === undefined ? null : `${repeated} is in the list twice.`;
}
