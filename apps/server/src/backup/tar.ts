/** Files of the format `ustar` of POSIX, with nothing in them but names and sizes: their headers are reproducible. */
const block = 512;
const largestEntry = 256 * 2 ** 20;

const field = (text: string, length: number) => text.padEnd(length, '\0');
const octal = (value: number, length: number) => `${value.toString(8).padStart(length - 1, '0')}\0`;

function headerOf(name: string, size: number): Buffer {
  if (Buffer.byteLength(name) > 99) throw new Error(`the name of a part is too long: ${name}`);
  const before = field(name, 100) + octal(0o600, 8) + octal(0, 8) + octal(0, 8) + octal(size, 12) + octal(0, 12);
  const after = `0${field('', 100)}ustar\0${'00'}`;
  const unsigned = Buffer.alloc(block);
  unsigned.write(`${before}        ${after}`, 'latin1');
  const sum = unsigned.reduce((total, byte) => total + byte, 0);
  unsigned.write(`${sum.toString(8).padStart(6, '0')}\0 `, before.length, 'latin1');
  return unsigned;
}

const paddingOf = (size: number) => Buffer.alloc((block - (size % block)) % block);
const end = Buffer.alloc(2 * block);

export interface TarEntry {
  readonly name: string;
  readonly body: Buffer;
}

export const tarEntry = ({ name, body }: TarEntry): Buffer[] => [
  headerOf(name, body.length),
  body,
  paddingOf(body.length),
];

export const tarEnd = (): Buffer => end;

/** The file is not one that `tarEntry` and `tarEnd` have written. */
export class DamagedTar extends Error {}

/** Reads what was written by `tarEntry` and `tarEnd`; any other byte is damage. */
export async function* readTar(chunks: AsyncIterable<Buffer>): AsyncGenerator<TarEntry> {
  const bytes = new ByteReader(chunks);
  for (;;) {
    const header = await bytes.take(block);
    if (header.equals(end.subarray(0, block))) break;
    const name = header.toString('latin1', 0, 100).replace(/\0+$/, '');
    const size = Number.parseInt(header.toString('latin1', 124, 135), 8);
    if (!(size >= 0 && size <= largestEntry) || !/^[\w./-]{1,99}$/.test(name) || !header.equals(headerOf(name, size)))
      throw new DamagedTar();
    const body = await bytes.take(size);
    const padding = paddingOf(size);
    if (!(await bytes.take(padding.length)).equals(padding)) throw new DamagedTar();
    yield { name, body };
  }
  if (!(await bytes.take(block)).equals(end.subarray(0, block)) || !(await bytes.isAtEnd())) throw new DamagedTar();
}

/** Takes given numbers of bytes from chunks of any size. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #waiting: Buffer[] = [];
  #length = 0;

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** Throws DamagedTar where the chunks end before. */
  async take(length: number): Promise<Buffer> {
    const taken = await this.takeUpTo(length);
    if (taken.length < length) throw new DamagedTar();
    return taken;
  }

  /** Fewer bytes only at the end. */
  async takeUpTo(length: number): Promise<Buffer> {
    while (this.#length < length && (await this.#read()));
    const all = this.#waiting.length === 1 ? this.#waiting[0]! : Buffer.concat(this.#waiting);
    const taken = all.subarray(0, length);
    this.#waiting = [all.subarray(taken.length)];
    this.#length -= taken.length;
    return taken;
  }

  async isAtEnd(): Promise<boolean> {
    while (this.#length === 0 && (await this.#read()));
    return this.#length === 0;
  }

  async #read(): Promise<boolean> {
    const { value, done } = await this.#chunks.next();
    if (done) return false;
    this.#waiting.push(value);
    this.#length += value.length;
    return true;
  }
}
