/** Limits a process to a share of one core by Linux control groups. */
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';

const periodMicroseconds = 20_000;
/** In version 1 of control groups, each resource has its own tree. */
const isOlder = existsSync('/sys/fs/cgroup/cpu');
const tree = isOlder ? '/sys/fs/cgroup/cpu' : '/sys/fs/cgroup';

/** Why this machine cannot limit a process; null when it can. */
export function whyNoProcessorLimit(): string | null {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'not run by root on Linux';
  try {
    const folder = make('try', 0.5);
    rmdirSync(folder);
    return null;
  } catch (error) {
    return `no control groups (${(error as Error).message})`;
  }
}

function make(name: string | number, share: number): string {
  const folder = `${tree}/hilltop-${process.pid}-${name}`;
  mkdirSync(folder);
  const most = Math.round(share * periodMicroseconds);
  const limits = isOlder
    ? { 'cpu.cfs_period_us': periodMicroseconds, 'cpu.cfs_quota_us': most }
    : { 'cpu.max': `${most} ${periodMicroseconds}` };
  for (const [file, value] of Object.entries(limits)) writeFileSync(`${folder}/${file}`, String(value));
  return folder;
}

/** Limits the process until the result is disposed of or the process ends. */
export function limitProcessor(pid: number, share: number): Disposable {
  const folder = make(pid, share);
  writeFileSync(`${folder}/cgroup.procs`, String(pid));
  return {
    [Symbol.dispose]() {
      writeFileSync(`${tree}/cgroup.procs`, String(pid));
      rmdirSync(folder);
    },
  };
}
