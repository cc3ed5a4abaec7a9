import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { zstdDecompressSync } from 'node:zlib';
import { StartError } from '../start-error.ts';
import { isOlder, version } from '../version.ts';
import type { StoredValue } from './column-types.ts';
import { keysName, type Manifest, manifestName, manifestSumName, parseManifest, tableOfPart } from './manifest.ts';
import { isSealed, magicLength, openSealed } from './sealed-file.ts';
import { DamagedTar, readTar, type TarEntry } from './tar.ts';
import { type KeyFiles, sumOf } from './write-backup.ts';

/** More than a part of `write-backup.ts` with the longest row. */
const largestPart = 512 * 2 ** 20;

const damaged = () => new StartError('The backup is damaged or incomplete: nothing was restored. Use another backup.');

export interface BackupFile {
  readonly file: string;
  /** Empty for a backup that is not sealed. */
  readonly passphrase: string;
}

/** A backup of which every byte was verified. */
export interface VerifiedBackup {
  readonly manifest: Manifest;
  /** The sealed text by which the encryption key is recognized. */
  readonly keyCheck: { readonly sealed: Buffer; readonly tokenMark: string | null } | undefined;
  /** Only of sealed backups. */
  readonly keys: KeyFiles;
}

type Row = readonly StoredValue[];

/** Reads the whole file and compares all sums. Throws StartError for anything that cannot be restored by this version. */
export async function verifyBackup(backup: BackupFile, knownMigrations: ReadonlySet<string>): Promise<VerifiedBackup> {
  const found: { name: string; sha256: string }[] = [];
  const rows: Record<string, number> = {};
  let keyCheckRows: Row[] = [];
  let keys: KeyFiles = {};
  let manifestText = '';
  let isComplete = false;
  for await (const { name, body } of entriesOf(backup)) {
    if (isComplete) throw damaged();
    if (name === manifestSumName) {
      if (sumOf(Buffer.from(manifestText)) !== body.toString()) throw damaged();
      isComplete = true;
    } else if (name === manifestName) manifestText = body.toString();
    else {
      found.push({ name, sha256: sumOf(body) });
      const table = tableOfPart(name);
      if (table !== undefined) {
        const part = rowsIn(body);
        rows[table] = (rows[table] ?? 0) + part.length;
        if (table === 'key_check') keyCheckRows = part;
      } else if (name === keysName) keys = JSON.parse(body.toString()) as KeyFiles;
      else throw damaged();
    }
  }
  if (!isComplete) throw damaged();
  const manifest = parseManifest(manifestText);
  if (!manifest) throw damaged();
  if ('laterVersion' in manifest) throw tooNew(manifest.laterVersion);
  if (isOlder(version, manifest.version) || manifest.migrations.some((step) => !knownMigrations.has(step)))
    throw tooNew(manifest.version);
  const isWhole =
    JSON.stringify(found) === JSON.stringify(manifest.files) &&
    Object.entries(manifest.tables).every(([table, expected]) => expected.rows === (rows[table] ?? 0)) &&
    Object.keys(rows).every((table) => table in manifest.tables);
  if (!isWhole) throw damaged();
  return { manifest, keyCheck: keyCheckOf(manifest, keyCheckRows), keys };
}

function keyCheckOf({ tables }: Manifest, rows: readonly Row[]): VerifiedBackup['keyCheck'] {
  const [row] = rows;
  if (!row) return undefined;
  const value = (column: string) => row[tables['key_check']!.columns.findIndex(({ name }) => name === column)];
  return { sealed: Buffer.from(value('sealed') as string, 'base64'), tokenMark: value('token_mark') as string | null };
}

const tooNew = (made: string) =>
  new StartError(
    `The backup was made by Hilltop ${made}, and this is ${version}: restore it with that version or a newer one.`,
  );

/** The rows of a verified backup, part by part. */
export async function* readRows(
  backup: BackupFile,
  { files }: Manifest,
): AsyncGenerator<{ table: string; rows: readonly Row[] }> {
  let nth = 0;
  for await (const { name, body } of entriesOf(backup)) {
    const table = tableOfPart(name);
    const expected = files[nth++];
    if (table === undefined) continue;
    // Somebody may have changed the file since it was verified.
    if (expected?.name !== name || expected.sha256 !== sumOf(body)) throw damaged();
    yield { table, rows: rowsIn(body) };
  }
}

async function* entriesOf({ file, passphrase }: BackupFile): AsyncGenerator<TarEntry> {
  const begin = await beginOf(file);
  if (isSealed(begin) && passphrase === '')
    throw new StartError(`${file} is sealed: name the file with its passphrase by --passphrase-file FILE.`);
  if (!isSealed(begin) && passphrase !== '')
    throw new StartError(`${file} is not a sealed backup, although --passphrase-file is given.`);
  const chunks = createReadStream(file, { highWaterMark: 2 ** 20 }) as AsyncIterable<Buffer>;
  try {
    yield* readTar(passphrase === '' ? chunks : openSealed(chunks, passphrase));
  } catch (error) {
    throw error instanceof DamagedTar ? damaged() : error;
  }
}

async function beginOf(file: string): Promise<Buffer> {
  try {
    await using handle = await open(file);
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(magicLength), 0, magicLength, 0);
    return buffer.subarray(0, bytesRead);
  } catch (error) {
    throw new StartError(`${file} cannot be read: ${(error as Error).message}.`);
  }
}

function rowsIn(body: Buffer): Row[] {
  try {
    const text = zstdDecompressSync(body, { maxOutputLength: largestPart }).toString();
    return text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Row);
  } catch {
    throw damaged();
  }
}
