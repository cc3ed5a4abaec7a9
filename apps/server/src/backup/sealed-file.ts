import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto';
import { StartError } from '../start-error.ts';
import { ByteReader } from './tar.ts';

/** Begins a sealed file; the salt follows. */
const magic = Buffer.from('HILLTOP SEALED BACKUP 1\n');
const saltLength = 16;
const chunkLength = 2 ** 20;
const tagLength = 16;
/** 128 MB of memory and about half a second. Tests lower it. */
export const sealingCost = { N: 2 ** 17, r: 8, p: 1 };

const keyOf = (passphrase: string, salt: Buffer) =>
  scryptSync(passphrase, salt, 32, { ...sealingCost, maxmem: 2 ** 28 });

/** Number and end are part of the nonce, so chunks can be neither exchanged nor left out. The key is used for one file. */
function nonceOf(nth: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUIntBE(nth, 0, 6);
  nonce.writeUInt8(isLast ? 1 : 0, 11);
  return nonce;
}

/** Encrypts a file in chunks by a passphrase. */
export class FileSealer {
  readonly #head: Buffer;
  readonly #key: Buffer;
  #waiting: Buffer[] = [];
  #length = 0;
  #nth = 0;

  constructor(passphrase: string) {
    const salt = randomBytes(saltLength);
    this.#key = keyOf(passphrase, salt);
    this.#head = Buffer.concat([magic, salt]);
  }

  /** Answers the bytes to write. */
  add(bytes: Buffer): Buffer[] {
    const sealed = this.#nth === 0 && this.#length === 0 ? [this.#head] : [];
    this.#waiting.push(bytes);
    this.#length += bytes.length;
    if (this.#length <= chunkLength) return sealed;
    let all = Buffer.concat(this.#waiting);
    // The last chunk has at least one byte.
    while (all.length > chunkLength) {
      sealed.push(this.#seal(all.subarray(0, chunkLength), false));
      all = all.subarray(chunkLength);
    }
    this.#waiting = [all];
    this.#length = all.length;
    return sealed;
  }

  end(): Buffer[] {
    return [this.#seal(Buffer.concat(this.#waiting), true)];
  }

  #seal(plain: Buffer, isLast: boolean): Buffer {
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonceOf(this.#nth++, isLast)).setAAD(this.#head);
    return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  }
}

export const isSealed = (begin: Buffer): boolean => begin.subarray(0, magic.length).equals(magic);
export const magicLength = magic.length;

/** Decrypts a sealed file. A chunk that was changed, moved or left out throws StartError. */
export async function* openSealed(chunks: AsyncIterable<Buffer>, passphrase: string): AsyncGenerator<Buffer> {
  const bytes = new ByteReader(chunks);
  const head = await bytes.take(magic.length + saltLength);
  const key = keyOf(passphrase, head.subarray(magic.length));
  for (let nth = 0, isLast = false; !isLast; nth += 1) {
    const sealed = await bytes.takeUpTo(chunkLength + tagLength);
    isLast = await bytes.isAtEnd();
    yield openChunk({ sealed, key, head, nth, isLast });
  }
}

interface SealedChunk {
  sealed: Buffer;
  key: Buffer;
  head: Buffer;
  nth: number;
  isLast: boolean;
}

function openChunk({ sealed, key, head, nth, isLast }: SealedChunk): Buffer {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, nonceOf(nth, isLast), { authTagLength: tagLength })
      .setAAD(head)
      .setAuthTag(sealed.subarray(-tagLength));
    return Buffer.concat([decipher.update(sealed.subarray(0, -tagLength)), decipher.final()]);
  } catch {
    throw new StartError(
      nth === 0
        ? 'The backup cannot be opened: the passphrase is another one, or the file is damaged.'
        : 'The backup is damaged or incomplete: nothing was restored. Use another backup.',
    );
  }
}
