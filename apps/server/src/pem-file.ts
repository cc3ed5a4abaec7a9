import { unwatchFile, watchFile } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { StartError } from './start-error.ts';

/** A PEM file that a setting names. */
export async function readPEM(setting: string, path: string): Promise<Buffer> {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw new StartError(`The file ${path} (${setting}) cannot be read (${error.code}).`);
  });
  if (bytes.includes('-----BEGIN')) return bytes;
  throw new StartError(`The file ${path} (${setting}) is not a PEM file.`);
}

/** A certificate and its key, from the files that the settings name; undefined when neither is set. */
export async function readPair(
  [certSetting, certPath]: readonly [setting: string, path: string],
  [keySetting, keyPath]: readonly [setting: string, path: string],
): Promise<{ cert: Buffer; key: Buffer } | undefined> {
  if (certPath === '' && keyPath === '') return undefined;
  if (certPath === '' || keyPath === '')
    throw new StartError(`${certSetting} and ${keySetting} must both name a file.`);
  const [cert, key] = [await readPEM(certSetting, certPath), await readPEM(keySetting, keyPath)];
  try {
    createSecureContext({ cert, key });
  } catch {
    throw new StartError(
      `${certSetting} and ${keySetting} cannot be used: they must be a certificate and the key it was made for.`,
    );
  }
  return { cert, key };
}

/** Calls back when one of the files has changed, by checking them regularly. The returned function stops it. */
export function watchFiles(paths: readonly string[], lookEveryMs: number, onChange: () => unknown): () => void {
  const changed = () => void onChange();
  for (const path of paths) watchFile(path, { interval: lookEveryMs, persistent: false }, changed);
  return () => {
    for (const path of paths) unwatchFile(path, changed);
  };
}
