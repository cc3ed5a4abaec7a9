/** Reads files that others have written, away from the main thread: uplinks do not wait for them. */
import { parentPort, workerData } from 'node:worker_threads';
import { lowerThreadPriority } from '../thread-priority.ts';
import { readCatalogue } from './catalogue.ts';
import { type Catalogue, type ImportedCodec, UnusableFiles } from './catalogue-types.ts';
import { readCodecFiles } from './codec-files.ts';
import { type FileLimits, fromTexts, readFolder, readZip } from './file-sets.ts';

/** The input of the thread. */
export type ReadInput =
  | { kind: 'catalogue'; from: { zip: Uint8Array } | { folder: string } }
  | { kind: 'codec'; zip: Uint8Array | null; files: readonly { name: string; text: string }[] };

export type ReadOutput = { catalogue: Catalogue } | { codec: ImportedCodec } | { unusable: string };

const megabyte = 2 ** 20;
const limits: Record<ReadInput['kind'], FileLimits> = {
  catalogue: { files: 20_000, fileBytes: megabyte, totalBytes: 64 * megabyte },
  codec: { files: 200, fileBytes: megabyte, totalBytes: 4 * megabyte },
};

function read(input: ReadInput): ReadOutput {
  const { kind } = input;
  if (kind === 'codec') {
    const set = input.zip ? readZip(input.zip, limits.codec) : fromTexts(input.files, limits.codec);
    return { codec: readCodecFiles(set) };
  }
  const { from } = input;
  const set = 'zip' in from ? readZip(from.zip, limits.catalogue) : readFolder(from.folder, limits.catalogue);
  return { catalogue: readCatalogue(set) };
}

function attempt(input: ReadInput): ReadOutput {
  try {
    return read(input);
  } catch (error) {
    if (error instanceof UnusableFiles) return { unusable: error.message };
    throw error;
  }
}

lowerThreadPriority();
parentPort!.postMessage(attempt(workerData as ReadInput));
