/** Resources that a process uses, from Linux's /proc. */
import { readdirSync, readFileSync } from 'node:fs';

const ticksPerSecond = 100;
const mebibyte = 2 ** 20;

/** Resident memory in MB, including shared pages. */
export function residentMB(pid: number): number {
  const [, pages] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ');
  return Math.round((Number(pages) * 4096) / mebibyte);
}

/** Number of open files and sockets. */
export const openFiles = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

/** Processor time of all threads in seconds since the process started. */
export const processorSeconds = (pid: number): number => secondsIn(pid, 11, 12);

/** Processor time in seconds of its children that have ended. */
export const endedChildrenSeconds = (pid: number): number => secondsIn(pid, 13, 14);

/** `fields`: indexes of the fields after the process name, from 0. */
function secondsIn(pid: number, inUser: number, inSystem: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[inUser]) + Number(fields[inSystem])) / ticksPerSecond;
}

/** Starts measuring. The returned function gives the share of one core used by all processes since then, in percent. */
export function watchProcessor(...pids: readonly number[]): () => number {
  const used = () => pids.reduce((sum, pid) => sum + processorSeconds(pid), 0);
  const [usedBefore, before] = [used(), performance.now()];
  return () => Math.round(((used() - usedBefore) / (performance.now() - before)) * 100_000);
}

/** Peak resident memory of a process in MB; 0 when the process has ended. */
export function peakMB(pid: number): number {
  try {
    const [, kilobytes = 0] = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Math.round(Number(kilobytes) / 1024);
  } catch {
    return 0;
  }
}

/** Processes whose use is reported under one name: these and all that they have started, or `isAlone`. */
export interface MeasuredProcesses {
  name: string;
  roots: readonly number[];
  isAlone?: boolean;
}

/** The ids of a process and all that it has started; none when it has ended. */
export function processTreeOf(pid: number): number[] {
  try {
    const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    );
    return [pid, ...children.flatMap(processTreeOf)];
  } catch {
    return [];
  }
}

/** Processor time of a process and all that it has started, in seconds, with children that have ended. */
export const treeSeconds = (root: number): number =>
  sumOf(processTreeOf(root), (pid) => processorSeconds(pid) + endedChildrenSeconds(pid));

/** Memory in MB: the resident one of a process, the proportional ones of several, because these share pages. */
export function memoryMB({ roots, isAlone = false }: MeasuredProcesses): number {
  const pids = isAlone ? roots : roots.flatMap(processTreeOf);
  return Math.round(sumOf(pids, pids.length === 1 ? residentMB : proportionalMB));
}

function proportionalMB(pid: number): number {
  const [, kilobytes] = /^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}

/** A process that has ended meanwhile counts 0. */
function sumOf(pids: readonly number[], figure: (pid: number) => number): number {
  return pids.reduce((sum, pid) => {
    try {
      return sum + figure(pid);
    } catch {
      return sum;
    }
  }, 0);
}

/** Starts measuring. The returned function gives the seconds that each has used since then, by name. */
export function watchProcesses(all: readonly MeasuredProcesses[]): () => Record<string, number> {
  const secondsOf = ({ roots, isAlone = false }: MeasuredProcesses) =>
    roots.reduce((sum, root) => sum + (isAlone ? processorSeconds(root) : treeSeconds(root)), 0);
  const before = all.map(secondsOf);
  return () => Object.fromEntries(all.map((some, nth) => [some.name, secondsOf(some) - before[nth]!]));
}

/** Processor time in microseconds for each of `count` pieces of work, by process; empty when there is none. */
export function microsecondsEach(used: Record<string, number>, count: number): Record<string, number> {
  if (count === 0) return {};
  return Object.fromEntries(Object.entries(used).map(([name, spent]) => [name, Math.round((spent / count) * 1e6)]));
}

/** The processor times of `microsecondsEach` as text. */
export function eachOf(each: Record<string, number>): string {
  const all = Object.values(each).reduce((sum, one) => sum + one, 0);
  const parts = Object.entries(each).map(([name, spent]) => `${name} ${spent}`);
  return `${parts.join(', ')}, together ${all} µs each`;
}
