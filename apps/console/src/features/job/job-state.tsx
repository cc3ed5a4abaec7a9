import type { Job } from '@hilltop/contract';
import { stateWords } from '../../components/job/job-words.ts';
import { Status } from '../../components/status/status.tsx';

export function JobState({ job: { state } }: { job: Job }) {
  const { word, tone } = stateWords[state];
  return <Status tone={tone}>{word}</Status>;
}
