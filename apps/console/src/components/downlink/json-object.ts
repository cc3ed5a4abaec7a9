/** The error of the object of a downlink, or null. */
export function jsonProblem(jsonObject: string): string | null {
  if (jsonObject.trim() === '') return null;
  try {
    const value: unknown = JSON.parse(jsonObject);
    return typeof value === 'object' && value !== null ? null : 'Enter an object, such as {"led": true}.';
  } catch {
    return 'This is not valid JSON.';
  }
}

/** JSON text with line breaks for people. */
export const prettyJson = (text: string): string => JSON.stringify(JSON.parse(text), null, 2);
