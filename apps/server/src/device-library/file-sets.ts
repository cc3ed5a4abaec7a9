import { createHash } from 'node:crypto';
import { type Dirent, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { crc32 } from 'node:zlib';
import { type FlateError, FlateErrorCode, unzipSync } from 'fflate';
import { type FileProblem, type FileSet, UnusableFiles } from './catalogue-types.ts';

export interface FileLimits {
  files: number;
  fileBytes: number;
  /** Of all files together, unpacked. */
  totalBytes: number;
}

const kilobytes = (bytes: number) => `${Math.round(bytes / 1024)} kB`;

/** Only files of these kinds are read. */
const usedNames = /(\.(toml|js|json|ya?ml)|(^|\/)(LICEN[CS]E|COPYING|NOTICE)[^/]*)$/i;

/** Why a file cannot be used; empty when it can. */
function problemOf(name: string, bytes: number, { fileBytes }: FileLimits): string {
  const isInside = !name.startsWith('/') && !/[\\\0:]/.test(name) && !name.split('/').includes('..');
  if (!isInside) return 'The name leads out of the folder. The file was skipped.';
  return bytes > fileBytes ? `The file is larger than ${kilobytes(fileBytes)}. It was skipped.` : '';
}

/** Collects the names of files until a limit is reached. */
function createCollector(limits: FileLimits) {
  const problems: FileProblem[] = [];
  let count = 0;
  let total = 0;
  return {
    problems,
    /** Whether to read a file. Throws when there are too many. */
    takes: (name: string, bytes: number): boolean => {
      count += 1;
      if (count > limits.files) throw new UnusableFiles(`There are more than ${limits.files} files.`);
      if (name.endsWith('/') || !usedNames.test(name)) return false;
      const text = problemOf(name, bytes, limits);
      if (text !== '') {
        problems.push({ file: name, line: 0, text });
        return false;
      }
      total += bytes;
      if (total > limits.totalBytes)
        throw new UnusableFiles(`The unpacked files are larger than ${kilobytes(limits.totalBytes)} in total.`);
      return true;
    },
  };
}

/** The files of a ZIP file. Throws UnusableFiles when it is damaged or too large. */
export function readZip(bytes: Uint8Array, limits: FileLimits): FileSet {
  const { takes, problems } = createCollector(limits);
  const taken = new Map<string, ZipEntry>();
  let unpacked: Record<string, Uint8Array>;
  try {
    const entries = zipEntries(bytes);
    let at = 0;
    // The library calls the filter in the order of the directory, and never writes more than the declared size of an entry.
    const filter = ({ name, originalSize }: { name: string; originalSize: number }) => {
      const entry = entries[at++]!;
      if (!takes(name, originalSize)) return false;
      if (entry.isPlainFile) taken.set(name, entry);
      else problems.push({ file: name, line: 0, text: 'The file is a link or is encrypted. It was skipped.' });
      return entry.isPlainFile;
    };
    unpacked = unzipSync(bytes, { filter });
  } catch (error) {
    if (error instanceof UnusableFiles) throw error;
    if ((error as Partial<FlateError>).code === FlateErrorCode.UnknownCompressionMethod)
      throw new UnusableFiles('A file is compressed by another method than Deflate. Pack it as an ordinary ZIP file.');
    throw new UnusableFiles('This is not a complete ZIP file. Download or pack it again.');
  }
  const files = new Map<string, Uint8Array>();
  for (const [name, content] of Object.entries(unpacked)) {
    if (crc32(content) === taken.get(name)!.checksum) files.set(name, content);
    else problems.push({ file: name, line: 0, text: 'The file is damaged: its checksum differs. It was skipped.' });
  }
  return { files, problems, version: versionOf(bytes) };
}

interface ZipEntry {
  checksum: number;
  /** Neither a symbolic link nor encrypted. */
  isPlainFile: boolean;
}

/** The directory of a ZIP file (APPNOTE 4.3.12). Throws when it is not complete. */
function zipEntries(bytes: Uint8Array): ZipEntry[] {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = file.lastIndexOf(endOfZip);
  const count = file.readUInt16LE(end + 10);
  const entries: ZipEntry[] = [];
  for (let at = file.readUInt32LE(end + 16); entries.length < count; ) {
    if (!file.subarray(at, at + 4).equals(zipEntryStart)) throw new RangeError('No entry of a ZIP file.');
    const isEncrypted = (file.readUInt16LE(at + 8) & 1) !== 0;
    const isLink = file.readUInt32LE(at + 38) >>> 28 === 0xa;
    entries.push({ checksum: file.readUInt32LE(at + 16), isPlainFile: !isEncrypted && !isLink });
    at += 46 + file.readUInt16LE(at + 28) + file.readUInt16LE(at + 30) + file.readUInt16LE(at + 32);
  }
  return entries;
}

const zipEntryStart = Buffer.from('PK\x01\x02', 'latin1');
const endOfZip = Buffer.from('PK\x05\x06', 'latin1');
const longestComment = 65_557;

/** The commit in the comment of a ZIP file, where GitHub writes it; else the beginning of its digest. */
function versionOf(bytes: Uint8Array): string {
  const tail = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).subarray(-longestComment);
  const start = tail.lastIndexOf(endOfZip);
  const comment = start < 0 ? '' : tail.subarray(start + 22).toString('latin1');
  const version = /^[0-9a-f]{40}$/.test(comment) ? comment : createHash('sha256').update(bytes).digest('hex');
  return version.slice(0, 12);
}

/** The files of a folder on this machine. Links are not followed. */
export function readFolder(folder: string, limits: FileLimits): FileSet {
  const { takes, problems } = createCollector(limits);
  const files = new Map<string, Uint8Array>();
  const digest = createHash('sha256');
  const paths = filesBelow(folder).sort();
  for (const path of paths) {
    const name = relative(folder, path).split(sep).join('/');
    if (!takes(name, statSync(path).size)) continue;
    const bytes = readFileSync(path);
    files.set(name, bytes);
    digest.update(`${name}\0${bytes.length}\0`).update(bytes);
  }
  return { files, problems, version: digest.digest('hex').slice(0, 12) };
}

function filesBelow(folder: string): string[] {
  let entries: Dirent[];
  try {
    entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  } catch {
    throw new UnusableFiles('The folder of HILLTOP_DEVICE_LIBRARY_URL cannot be read. Check its name and its rights.');
  }
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/** Files that were sent as text. */
export function fromTexts(files: readonly { name: string; text: string }[], limits: FileLimits): FileSet {
  const { takes, problems } = createCollector(limits);
  const encoder = new TextEncoder();
  const encoded = files.map(({ name, text }) => [name, encoder.encode(text)] as const);
  return { files: new Map(encoded.filter(([name, bytes]) => takes(name, bytes.length))), problems, version: '' };
}
