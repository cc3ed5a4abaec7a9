import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

export const platforms = ['linux-x64', 'linux-arm64'] as const;
export type Platform = (typeof platforms)[number];

export interface NodeProgram {
  program: Uint8Array;
  license: string;
}

/** The Node.js of the locked version: from the installed package, for other platforms from the registry. */
export function loadNodeProgram(platform: Platform): NodeProgram {
  const installed = join(root, 'node_modules', `node-${platform}`);
  if (existsSync(installed)) return readNodeProgram(installed);
  const scratch = mkdtempSync(join(tmpdir(), 'hilltop-node-'));
  try {
    return readNodeProgram(download(`node-${platform}`, scratch));
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

const readNodeProgram = (folder: string): NodeProgram => ({
  program: withoutSymbols(readFileSync(join(folder, 'bin/node'))),
  license: readFileSync(join(folder, 'LICENSE'), 'utf8'),
});

/** Downloads and unpacks a package, and compares its content with the lock file. Answers its folder. */
function download(name: string, scratch: string): string {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version: string; integrity: string }>;
  };
  const { version, integrity } = packages[`node_modules/${name}`]!;
  const run = (program: string, ...args: string[]) =>
    execFileSync(program, args, { cwd: scratch, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  const file = run('npm', 'pack', '--silent', `${name}@${version}`).trim();
  const hash = createHash('sha512')
    .update(readFileSync(join(scratch, file)))
    .digest('base64');
  if (integrity !== `sha512-${hash}`)
    throw new Error(`${name}@${version} differs from the package in package-lock.json.`);
  run('tar', '-xzf', file);
  return join(scratch, 'package');
}

/** Fields of the ELF header and of the table of segments, for 64 bits. */
const elf = { magic: 0x7f_45_4c_46, segments: 0x20, sections: 0x28, segmentSize: 0x36, sectionCount: 0x3c };
const segment = { offset: 0x08, fileSize: 0x20 };

/**
 * Removes what no segment of a program loads, which is at its end: symbols for debuggers are a quarter of Node.js. Works
 * on programs of every processor, unlike `strip`.
 */
export function withoutSymbols(program: Buffer): Uint8Array {
  if (program.readUInt32BE(0) !== elf.magic) throw new Error('The program of Node.js is not in the format ELF.');
  const first = Number(program.readBigUInt64LE(elf.segments));
  const size = program.readUInt16LE(elf.segmentSize);
  const count = program.readUInt16LE(elf.segmentSize + 2);
  let end = 0;
  for (let at = first; at < first + count * size; at += size) {
    const endOfSegment = program.readBigUInt64LE(at + segment.offset) + program.readBigUInt64LE(at + segment.fileSize);
    end = Math.max(end, Number(endOfSegment));
  }
  const loaded = Buffer.from(program.subarray(0, end));
  loaded.writeBigUInt64LE(0n, elf.sections);
  // The number of sections, and which of them has their names.
  loaded.writeUInt32LE(0, elf.sectionCount);
  return loaded;
}
