import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { refusal } from '@hilltop/contract';

/** The largest decompressed request, as for REST. Without it, some kilobytes could fill many megabytes of memory. */
const largest = 1024 * 1024;
/** Compressing smaller messages costs more than it saves. */
const smallestCompressed = 1024;

const unzip = promisify(gunzip);
const zip = promisify<Uint8Array, Buffer>(gzip);

/** Decompresses a request. Throws code 8 when it is too large, and 3 when it is not gzip. */
export async function decompress(compressed: Uint8Array): Promise<Uint8Array> {
  try {
    return await unzip(compressed, { maxOutputLength: largest });
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    throw isTooLarge ? refusal('UNPACKED_TOO_LARGE', { limit: largest }) : refusal('NOT_GZIP');
  }
}

/** Compresses an answer; undefined when that would not make it shorter. */
export async function compress(message: Uint8Array): Promise<Uint8Array | undefined> {
  if (message.length < smallestCompressed) return undefined;
  const compressed = await zip(message);
  return compressed.length < message.length ? compressed : undefined;
}
