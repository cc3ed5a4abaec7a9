/** JSON as test files of codecs have it: with comments, hexadecimal numbers, trailing commas and unquoted names. */

/** The text is not JSON. The message completes "The file ...". */
export class LenientJSONError extends Error {
  readonly line: number;
  constructor(message: string, line: number) {
    super(message);
    this.line = line;
  }
}

const deepest = 100;
const space = /(?:[\s\uFEFF]|\/\/[^\n]*|\/\*[^]*?\*\/)*/y;
const number = /[+-]?(?:0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)/y;
const word = /[A-Za-z_$][\w$]*/y;
const quoted = /"(?:[^"\\\n]|\\[^])*"|'(?:[^'\\\n]|\\[^])*'/y;

const words: Readonly<Record<string, unknown>> = { true: true, false: false, null: null, undefined: null };

/** Reads a text. Throws LenientJSONError with the line of the first problem. */
export function parseLenientJSON(text: string): unknown {
  let position = 0;

  function fail(message: string): never {
    throw new LenientJSONError(message, text.slice(0, position).split('\n').length);
  }

  function take(pattern: RegExp): string | undefined {
    pattern.lastIndex = position;
    const found = pattern.exec(text)?.[0];
    if (found !== undefined) position += found.length;
    return found;
  }

  function takes(character: string): boolean {
    take(space);
    if (text[position] !== character) return false;
    position += 1;
    return true;
  }

  function unexpected(): never {
    const found = text[position];
    return fail(found === undefined ? 'ends too early' : `has an unexpected "${found}"`);
  }

  function readList(depth: number): unknown[] {
    const list: unknown[] = [];
    while (!takes(']')) {
      list.push(readValue(depth));
      if (takes(']')) return list;
      if (!takes(',')) unexpected();
    }
    return list;
  }

  function readObject(depth: number): Record<string, unknown> {
    const entries: [string, unknown][] = [];
    while (!takes('}')) {
      take(space);
      const name = readQuoted() ?? take(word) ?? take(number) ?? unexpected();
      if (!takes(':')) unexpected();
      entries.push([name, readValue(depth)]);
      if (takes('}')) break;
      if (!takes(',')) unexpected();
    }
    // Unlike an assignment, this makes a member of `__proto__`.
    return Object.fromEntries(entries);
  }

  function readQuoted(): string | undefined {
    const found = take(quoted);
    if (found === undefined) return undefined;
    const inner = found.slice(1, -1);
    const standard = found.startsWith("'") ? inner.replace(/\\'/g, "'").replace(/(?<!\\)"/g, '\\"') : inner;
    try {
      return JSON.parse(`"${standard.replace(/\t/g, '\\t').replace(/\\\n/g, '')}"`) as string;
    } catch {
      return fail('has a text with an invalid escape');
    }
  }

  function readValue(depth: number): unknown {
    if (depth > deepest) fail(`nests more than ${deepest} levels`);
    if (takes('{')) return readObject(depth + 1);
    if (takes('[')) return readList(depth + 1);
    const string = readQuoted();
    if (string !== undefined) return string;
    const digits = take(number);
    if (digits !== undefined) return toNumber(digits);
    const start = position;
    const name = take(word);
    if (name !== undefined && Object.hasOwn(words, name)) return words[name];
    position = start;
    return unexpected();
  }

  const value = readValue(0);
  take(space);
  return position < text.length ? unexpected() : value;
}

function toNumber(digits: string): number {
  const isNegative = digits.startsWith('-');
  const value = Number(digits.replace(/^[+-]/, ''));
  return isNegative ? -value : value;
}
