import type { JobKindName } from '@hilltop/contract';
import { importJobKinds } from '../file-import/job.ts';
import type { JobKind } from '../job/kind.ts';
import { restoreTrash } from '../restore/job-kind.ts';
import type { RestoreDependencies } from '../restore/restore-record.ts';
import { type DeviceKindDependencies, deviceKinds } from './device-kinds.ts';
import { gatewayKinds } from './gateway-kinds.ts';
import { moveDevices } from './move-devices.ts';

type JobKindDependencies = DeviceKindDependencies &
  Parameters<typeof gatewayKinds>[0] &
  Parameters<typeof importJobKinds>[0] &
  RestoreDependencies;

/** How each kind of jobs finds its records, runs a row and undoes it. */
export function createJobKinds(needs: JobKindDependencies): Readonly<Record<JobKindName, JobKind>> {
  return {
    ...deviceKinds(needs),
    MOVE_DEVICES: moveDevices(needs),
    ...gatewayKinds(needs),
    ...importJobKinds(needs),
    RESTORE_TRASH: restoreTrash(needs),
  };
}
