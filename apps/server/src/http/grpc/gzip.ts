import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { refusal } from '@hilltop/contract';

/** What a packed request may hold: as much as a request of REST, lest some kilobytes take the memory of many megabytes. */
const largest = 1024 * 1024;
/** What is smaller does not get shorter by as much as packing costs. */
const worthPacking = 1024;

const unzip = promisify(gunzip);
const zip = promisify<Uint8Array, Buffer>(gzip);

/** The message of a request. Throws code 8 when it holds too much, and 3 when it was not packed by gzip. */
export async function unpack(packed: Uint8Array): Promise<Uint8Array> {
  try {
    return await unzip(packed, { maxOutputLength: largest });
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    throw isTooLarge ? refusal('UNPACKED_TOO_LARGE', { limit: largest }) : refusal('NOT_GZIP');
  }
}

/** An answer, packed where that makes it shorter. */
export async function pack(message: Uint8Array): Promise<Uint8Array | undefined> {
  if (message.length < worthPacking) return undefined;
  const packed = await zip(message);
  return packed.length < message.length ? packed : undefined;
}
