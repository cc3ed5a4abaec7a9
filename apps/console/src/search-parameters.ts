/** Separates the values of a parameter that an address repeats; no text of the API contains it. */
const between = '\0';

/** The values of a parameter, which may be repeated: `?filter=state:is:inactive&filter=battery:lt:20`. */
export const valuesOf = (parameter: string | undefined): string[] => parameter?.split(between) ?? [];

/** A parameter with these values; undefined without any, so that it is omitted. */
export const repeated = (values: readonly string[]): string | undefined =>
  values.length === 0 ? undefined : values.join(between);

/**
 * Query parameters as plain text in both directions: `?search=0102` must stay a text. Empty ones are omitted. A repeated
 * parameter is one text, see `valuesOf`.
 */
export const searchParameters = {
  parseSearch(text: string): Record<string, string> {
    const parameters = new URLSearchParams(text);
    return Object.fromEntries([...parameters.keys()].map((name) => [name, parameters.getAll(name).join(between)]));
  },
  stringifySearch(search: Record<string, unknown>): string {
    const given = Object.entries(search).flatMap(([name, value]) =>
      value === undefined ? [] : valuesOf(value as string).map((one) => [name, one]),
    );
    // A colon is allowed here, and an address with filters is easier to read with it.
    const text = new URLSearchParams(given.filter(([, value]) => value !== '')).toString().replaceAll('%3A', ':');
    return text === '' ? '' : `?${text}`;
  },
};
