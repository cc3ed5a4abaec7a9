import type { Job, JobKindName, JobRow } from '@hilltop/contract';
import { jobKindFacts } from '@hilltop/contract/jobs';

const numbered = (number: number): string => number.toLocaleString('en');
const nouns = { device: 'device', gateway: 'gateway', record: 'record' } as const;

/** `1,284 devices` */
export function countedRecords(kind: JobKindName, count: number): string {
  const noun = nouns[jobKindFacts(kind).subject];
  return `${numbered(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** `1,284 devices: 1,201 can be moved, 83 cannot.` */
export function rehearsalSentence(kind: JobKindName, count: number, accepted: number): string {
  const { done } = jobKindFacts(kind);
  const records = countedRecords(kind, count);
  if (count === 0) return `No ${nouns[jobKindFacts(kind).subject]} matches.`;
  if (accepted === count) return `${records} can be ${done}.`;
  return `${records}: ${numbered(accepted)} can be ${done}, ${numbered(count - accepted)} cannot.`;
}

const doneWord = ({ kind, undoOf }: Job): string =>
  undoOf === '' ? jobKindFacts(kind as JobKindName).done : 'put back';

/** `1,201 moved, 83 refused, 0 failed` */
export function resultSentence(job: Job): string {
  return `${numbered(job.done)} ${doneWord(job)}, ${numbered(job.refused)} refused, ${numbered(job.failed)} failed`;
}

/** `Move devices: greenhouse` */
export function jobTitle({ kind, target, undoOf }: Job): string {
  const { label } = jobKindFacts(kind as JobKindName);
  const what = target === '' ? label : `${label}: ${target}`;
  return undoOf === '' ? what : `Undo: ${what}`;
}

export const stateWords = {
  WAITING: { word: 'Waiting', tone: 'never' },
  RUNNING: { word: 'Running', tone: 'active' },
  PAUSED: { word: 'Paused', tone: 'attention' },
  STOPPED: { word: 'Stopped', tone: 'inactive' },
  DONE: { word: 'Done', tone: 'active' },
} as const satisfies Record<Job['state'], object>;

export const outcomeWords = {
  WAITING: { word: 'Waiting', tone: 'never' },
  DONE: { word: 'Done', tone: 'active' },
  REFUSED: { word: 'Refused', tone: 'attention' },
  FAILED: { word: 'Failed', tone: 'inactive' },
} as const satisfies Record<JobRow['outcome'], object>;

/** How far it is, in percent. */
export function progressOf({ total, done, refused, failed }: Job): number {
  return total === 0 ? 0 : Math.floor((100 * (done + refused + failed)) / total);
}
