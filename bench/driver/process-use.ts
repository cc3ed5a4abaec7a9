/** What a process takes from its machine, by Linux's /proc. */
import { readdirSync, readFileSync } from 'node:fs';

const ticksPerSecond = 100;
const mebibyte = 2 ** 20;

/** Resident memory in MB, shared pages included. */
export function residentMB(pid: number): number {
  const [, pages] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ');
  return Math.round((Number(pages) * 4096) / mebibyte);
}

/** Files and sockets that are open. */
export const openFiles = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

/** Seconds of processor time since the process began, all threads. */
export const processorSeconds = (pid: number): number => secondsIn(pid, 11, 12);

/** Of those among its children that have ended. */
export const endedChildrenSeconds = (pid: number): number => secondsIn(pid, 13, 14);

/** By the numbers of fields behind the name, from 0. */
function secondsIn(pid: number, inUser: number, inSystem: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[inUser]) + Number(fields[inSystem])) / ticksPerSecond;
}

/** Share of one core used from now until the answer is called, in percent, by all of them. */
export function watchProcessor(...pids: readonly number[]): () => number {
  const used = () => pids.reduce((sum, pid) => sum + processorSeconds(pid), 0);
  const [usedBefore, before] = [used(), performance.now()];
  return () => Math.round(((used() - usedBefore) / (performance.now() - before)) * 100_000);
}

/** The most resident memory in MB that a process has had so far; 0 when it is gone. */
export function peakMB(pid: number): number {
  try {
    const [, kilobytes = 0] = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Math.round(Number(kilobytes) / 1024);
  } catch {
    return 0;
  }
}
