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
export const parseLenientJSON = (text: string): unknown => new LenientJSONReader(text).read();

class LenientJSONReader {
  readonly #text: string;
  #position = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): unknown {
    const value = this.#value(0);
    this.#take(space);
    return this.#position < this.#text.length ? this.#unexpected() : value;
  }

  #fail(message: string): never {
    throw new LenientJSONError(message, this.#text.slice(0, this.#position).split('\n').length);
  }

  #unexpected(): never {
    const found = this.#text[this.#position];
    return this.#fail(found === undefined ? 'ends too early' : `has an unexpected "${found}"`);
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#position;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#position += found.length;
    return found;
  }

  #takes(character: string): boolean {
    this.#take(space);
    if (this.#text[this.#position] !== character) return false;
    this.#position += 1;
    return true;
  }

  #value(depth: number): unknown {
    if (depth > deepest) this.#fail(`nests more than ${deepest} levels`);
    if (this.#takes('{')) return this.#object(depth + 1);
    if (this.#takes('[')) return this.#list(depth + 1);
    const string = this.#quoted();
    if (string !== undefined) return string;
    const digits = this.#take(number);
    if (digits !== undefined) return toNumber(digits);
    const start = this.#position;
    const name = this.#take(word);
    if (name !== undefined && Object.hasOwn(words, name)) return words[name];
    this.#position = start;
    return this.#unexpected();
  }

  #list(depth: number): unknown[] {
    const list: unknown[] = [];
    while (!this.#takes(']')) {
      list.push(this.#value(depth));
      if (this.#takes(']')) return list;
      if (!this.#takes(',')) this.#unexpected();
    }
    return list;
  }

  #object(depth: number): Record<string, unknown> {
    const entries: [string, unknown][] = [];
    while (!this.#takes('}')) {
      this.#take(space);
      const name = this.#quoted() ?? this.#take(word) ?? this.#take(number) ?? this.#unexpected();
      if (!this.#takes(':')) this.#unexpected();
      entries.push([name, this.#value(depth)]);
      if (this.#takes('}')) break;
      if (!this.#takes(',')) this.#unexpected();
    }
    // Unlike an assignment, this makes a member of `__proto__`.
    return Object.fromEntries(entries);
  }

  #quoted(): string | undefined {
    const found = this.#take(quoted);
    if (found === undefined) return undefined;
    const inner = found.slice(1, -1);
    const standard = found.startsWith("'") ? inner.replace(/\\'/g, "'").replace(/(?<!\\)"/g, '\\"') : inner;
    try {
      return JSON.parse(`"${standard.replace(/\t/g, '\\t').replace(/\\\n/g, '')}"`) as string;
    } catch {
      return this.#fail('has a text with an invalid escape');
    }
  }
}

function toNumber(digits: string): number {
  const isNegative = digits.startsWith('-');
  const value = Number(digits.replace(/^[+-]/, ''));
  return isNegative ? -value : value;
}
