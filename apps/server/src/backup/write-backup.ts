import { createHash, randomBytes } from 'node:crypto';
import { type FileHandle, lstat, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { isDiskFull } from '../database/storage-failure.ts';
import { StartError } from '../start-error.ts';
import { version } from '../version.ts';
import { type Column, encode } from './column-types.ts';
import { keysName, type Manifest, manifestName, manifestSumName, partName } from './manifest.ts';
import { FileSealer } from './sealed-file.ts';
import type { BackupSource } from './source.ts';
import { tablesToCopy } from './table-list.ts';
import { tarEnd, tarEntry } from './tar.ts';

/** The uncompressed size from which a part is written: it bounds the memory of a backup and of a restore. */
const partBytes = 8 * 2 ** 20;

/** The key files of an installation, as text. */
export interface KeyFiles {
  readonly encryptionKey?: string;
  readonly tokenKey?: string;
}

export interface BackupRequest {
  /** The path of the new file. */
  readonly file: string;
  readonly withHistory: boolean;
  /** Empty: the file is not sealed. */
  readonly passphrase: string;
  /** They are part of sealed backups only. */
  readonly keys: KeyFiles;
  readonly now: () => Date;
}

export interface WrittenBackup {
  readonly bytes: number;
  readonly rows: number;
}

/**
 * Writes all tables of the source to a file of mode 0600. It has its name when it is complete and on disk; when that
 * fails, nothing is left of it.
 */
export async function writeBackup(source: BackupSource, request: BackupRequest): Promise<WrittenBackup> {
  await refuseExisting(request.file);
  // Two backups to one name at once write two files.
  const partial = `${request.file}.${randomBytes(4).toString('hex')}.partial`;
  try {
    await using file = await open(partial, 'wx', 0o600);
    const archive = new BackupArchive(file, request.passphrase);
    const rows = await writeAll(source, request, archive);
    await file.sync();
    await rename(partial, request.file);
    await syncDirectory(dirname(request.file));
    return { bytes: archive.bytes, rows };
  } catch (error) {
    await rm(partial, { force: true }).catch(() => undefined);
    throw cannotWrite(request.file, error);
  }
}

/** A backup replaces nothing: neither another backup nor, by a slip, the database. */
async function refuseExisting(file: string): Promise<void> {
  const found = await lstat(file).catch(() => undefined);
  if (found) throw new StartError(`${file} exists. Choose another name, or remove it.`);
}

/** Makes renamed files in a directory durable; not every system can. */
export async function syncDirectory(path: string): Promise<void> {
  try {
    await using directory = await open(path);
    await directory.sync();
  } catch {
    // Windows does not open directories.
  }
}

function cannotWrite(file: string, error: unknown): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (isDiskFull(error))
    return new StartError(`The disk is full: ${file} was not written. Free some space or choose another disk.`);
  if (code === 'ENOENT') return new StartError(`${file} cannot be written: its directory does not exist.`);
  if (code === 'EACCES') return new StartError(`${file} cannot be written: this user may not write there.`);
  return syscall === undefined ? error : new StartError(`${file} cannot be written: ${(error as Error).message}.`);
}

async function writeAll(source: BackupSource, request: BackupRequest, archive: BackupArchive): Promise<number> {
  const tables: Manifest['tables'] = {};
  let total = 0;
  for (const name of tablesToCopy(request)) {
    const columns = await source.columns(name);
    if (!columns) continue;
    const rows = await writeTable(source, { name, columns }, archive);
    tables[name] = { columns: [...columns], rows };
    total += rows;
  }
  if (request.passphrase !== '') await archive.add(keysName, Buffer.from(JSON.stringify(request.keys)));
  const manifest: Manifest = {
    format: 1,
    version,
    createdAt: request.now().toISOString(),
    database: source.kind,
    hasHistory: request.withHistory,
    newestMigration: source.migrations.at(-1)!,
    migrations: [...source.migrations],
    tables,
    sequences: await source.sequences(),
    files: archive.files,
  };
  await archive.end(manifest);
  return total;
}

async function writeTable(
  source: BackupSource,
  { name, columns }: { name: string; columns: readonly Column[] },
  archive: BackupArchive,
): Promise<number> {
  let lines: string[] = [];
  let length = 0;
  let rows = 0;
  let parts = 0;
  const write = async () => {
    parts += 1;
    await archive.add(partName(name, parts), zstdCompressSync(lines.join('')));
    lines = [];
    length = 0;
  };
  for await (const batch of source.rows(name, columns))
    for (const row of batch) {
      const line = `${JSON.stringify(row.map((value, index) => encode(columns[index]!.type, value)))}\n`;
      lines.push(line);
      length += line.length;
      rows += 1;
      if (length >= partBytes) await write();
    }
  if (lines.length > 0) await write();
  return rows;
}

/** The archive that is being written: the parts, then the manifest with their sums, then the sum of the manifest. */
class BackupArchive {
  readonly files: Manifest['files'] = [];
  bytes = 0;
  readonly #file: FileHandle;
  readonly #sealer: FileSealer | undefined;

  constructor(file: FileHandle, passphrase: string) {
    this.#file = file;
    this.#sealer = passphrase === '' ? undefined : new FileSealer(passphrase);
  }

  async add(name: string, body: Buffer): Promise<void> {
    this.files.push({ name, sha256: sumOf(body) });
    await this.#write(tarEntry({ name, body }));
  }

  async end(manifest: Manifest): Promise<void> {
    const body = Buffer.from(`${JSON.stringify(manifest, undefined, 1)}\n`);
    await this.#write(tarEntry({ name: manifestName, body }));
    await this.#write(tarEntry({ name: manifestSumName, body: Buffer.from(sumOf(body)) }));
    await this.#write([tarEnd()]);
    if (this.#sealer) await this.#append(this.#sealer.end());
  }

  async #write(pieces: Buffer[]): Promise<void> {
    await this.#append(this.#sealer ? pieces.flatMap((piece) => this.#sealer!.add(piece)) : pieces);
  }

  async #append(pieces: Buffer[]): Promise<void> {
    for (const piece of pieces) {
      await this.#file.writeFile(piece);
      this.bytes += piece.length;
    }
  }
}

export const sumOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
