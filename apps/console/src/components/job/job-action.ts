import type { InputOf, JobRefusal, operations } from '@hilltop/contract';

/** What a job sets. */
export type JobActionInput = NonNullable<InputOf<typeof operations.job.create>['action']>;

export interface JobActionFormProps {
  scope: { organizationID: string; applicationID?: string };
  /** What the server says of the present choice. */
  rehearsal: { refused: readonly JobRefusal[] } | undefined;
  /** `null`: something is missing. */
  onChange: (action: JobActionInput | null) => void;
}
