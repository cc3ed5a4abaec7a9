import { createCipheriv, createDecipheriv, createSecretKey, randomBytes, randomFillSync } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { filesIn } from './data-directory.ts';
import { environmentName } from './environment-name.ts';
import { missingKey, StartError } from './start-error.ts';

/** Encryption at rest, with a key outside the database. */
export interface Secrets {
  /**
   * Encrypts with AES-256-GCM. `purpose` (`device.nwk_key:0102030405060708`) is authenticated: sealed bytes in another
   * row or column cannot be opened. No bytes seal to no bytes.
   */
  seal: (plain: Uint8Array, purpose: string) => Uint8Array;
  /** Decrypts; throws when key, purpose or bytes are not those of `seal`. */
  open: (sealed: Uint8Array, purpose: string) => Uint8Array;
  /** Signs and verifies tokens (HS256). */
  tokenKey: Uint8Array;
}

const nonceLength = 12;
const tagLength = 16;
const headLength = nonceLength + tagLength;
const noncesAtOnce = 128;

/** Settings that name key files outside the data directory. */
export type KeySetting = 'encryptionKeyFile' | 'tokenKeyFile';

/**
 * Reads the keys of the data directory, or creates them at the first start (readable by the owner only), except those
 * in `needed`, which must exist. Key files that settings name must exist as well. Throws StartError.
 */
export async function loadSecrets(
  dataDir: string,
  named: Record<KeySetting, string> = { encryptionKeyFile: '', tokenKeyFile: '' },
  needed: readonly KeySetting[] = [],
): Promise<Secrets> {
  const keyFiles = filesIn(dataDir);
  const missing = needed.find((name) => named[name] === '' && !existsSync(keyFiles[name]));
  if (missing) throw missingKey(basename(keyFiles[missing]), dataDir, environmentName(missing));
  const read = (name: KeySetting) => (named[name] === '' ? keyFile(keyFiles[name]) : readNamed(name, named[name]));
  const encryptionKey = await read('encryptionKeyFile');
  const tokenKey = await read('tokenKeyFile');
  return createSecrets({ encryptionKey, tokenKey });
}

export function createSecrets({ encryptionKey, tokenKey }: Record<'encryptionKey' | 'tokenKey', Uint8Array>): Secrets {
  const key = createSecretKey(encryptionKey);
  const nonces = new Uint8Array(noncesAtOnce * nonceLength);
  let spent = nonces.length;
  /**
   * No nonce is used twice. Random bytes are read in bulk, because reading them one by one takes as long as encrypting.
   */
  function nextNonce(): Uint8Array {
    if (spent === nonces.length) {
      randomFillSync(nonces);
      spent = 0;
    }
    return nonces.slice(spent, (spent += nonceLength));
  }

  return {
    tokenKey,
    seal: (plain, purpose) => {
      if (plain.length === 0) return plain;
      const nonce = nextNonce();
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(purpose));
      const sealed = new Uint8Array(headLength + plain.length);
      sealed.set(nonce);
      sealed.set(cipher.update(plain), headLength);
      cipher.final();
      sealed.set(cipher.getAuthTag(), nonceLength);
      return sealed;
    },
    open: (sealed, purpose) => {
      if (sealed.length === 0) return sealed;
      const nonce = sealed.subarray(0, nonceLength);
      const tag = sealed.subarray(nonceLength, nonceLength + tagLength);
      const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagLength })
        .setAAD(Buffer.from(purpose))
        .setAuthTag(tag);
      const plain = decipher.update(sealed.subarray(headLength));
      // Verifies the tag; this cipher has no bytes left to return.
      decipher.final();
      return new Uint8Array(plain.buffer, plain.byteOffset, plain.length);
    },
  };
}

async function keyFile(path: string): Promise<Uint8Array> {
  try {
    // `wx` creates the file or fails when it exists, so two simultaneous starts never have two keys.
    await writeFile(path, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return readKey(path);
}

async function readNamed(name: KeySetting, path: string): Promise<Uint8Array> {
  try {
    return await readKey(path);
  } catch (error) {
    throw new StartError(`${environmentName(name)} is no good: ${(error as Error).message}.`);
  }
}

async function readKey(path: string): Promise<Uint8Array> {
  const text = (await readFile(path, 'utf8')).trim();
  if (!/^[0-9a-f]{64}$/.test(text)) throw new Error(`The key file ${path} is damaged: restore it from a backup`);
  return Uint8Array.fromHex(text);
}
