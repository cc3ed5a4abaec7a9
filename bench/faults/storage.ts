/** Storage that becomes unavailable to a running server and comes back, with realistic faults. */
import { execFile } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { postmasterOf, startBenchPostgres } from '../driver/postgres.ts';
import { processTreeOf } from '../driver/process-use.ts';

export interface Storage extends AsyncDisposable {
  /** Settings of the server that uses the storage. */
  settings: Record<string, string>;
  /** Takes the storage away from the server with this process id. */
  takeAway(pid: number): Promise<void>;
  giveBack(pid: number): Promise<void>;
}

export type StorageKind = keyof typeof storages;

/** The kinds of outages. Each rejects with the reason on machines that cannot simulate it. */
export const storages = {
  /** PostgreSQL stops at once and starts again. */
  'PostgreSQL stopped': async (): Promise<Storage> => {
    const server = await startBenchPostgres();
    return {
      settings: { HILLTOP_DATABASE_URL: server.url },
      takeAway: server.halt,
      giveBack: server.resume,
      [Symbol.asyncDispose]: server.stop,
    };
  },
  /** PostgreSQL holds its connections and does not answer. */
  'PostgreSQL frozen': async (): Promise<Storage> => {
    const server = await startBenchPostgres();
    const signal = (name: NodeJS.Signals) => {
      for (const pid of processTreeOf(postmasterOf(server))) process.kill(pid, name);
    };
    return {
      settings: { HILLTOP_DATABASE_URL: server.url },
      takeAway: async () => signal('SIGSTOP'),
      giveBack: async () => signal('SIGCONT'),
      [Symbol.asyncDispose]: async () => {
        signal('SIGCONT');
        await server.stop();
      },
    };
  },
  /** The disk of the embedded database is full. */
  'disk full': async (): Promise<Storage> => {
    const disk = mkdtempSync(join(tmpdir(), 'hilltop-disk-'));
    const data = join(disk, 'data');
    const remove = () => rmSync(disk, { recursive: true, force: true });
    const settings = { HILLTOP_DATA: data };
    const isMounted = await execute('mount', ['-t', 'tmpfs', '-o', `size=${diskBytes}`, 'hilltop', disk]).then(
      () => true,
      () => false,
    );
    mkdirSync(data);
    if (!isMounted) return { settings, ...withoutMount, [Symbol.asyncDispose]: async () => remove() };
    const ballast = join(disk, 'ballast');
    return {
      settings,
      takeAway: async () => fill(ballast),
      giveBack: async () => rmSync(ballast),
      [Symbol.asyncDispose]: async () => {
        await execute('umount', ['--lazy', disk]);
        remove();
      },
    };
  },
} as const;

/** Without the right to mount a disk, forbids the process to write to files: a write fails as on a full disk. */
const withoutMount = {
  takeAway: (pid: number) => mostFileBytes(pid, '0'),
  giveBack: (pid: number) => mostFileBytes(pid, 'unlimited'),
};

async function mostFileBytes(pid: number, bytes: string): Promise<void> {
  await execute('prlimit', ['--pid', String(pid), `--fsize=${bytes}:`]);
}

/** Writes until no page fits on the disk. */
function fill(file: string): void {
  for (let bytes = 2 ** 20; bytes >= 4096; ) {
    try {
      appendFileSync(file, new Uint8Array(bytes));
    } catch {
      bytes /= 2;
    }
  }
}

const execute = promisify(execFile);
const diskBytes = 64 * 2 ** 20;
