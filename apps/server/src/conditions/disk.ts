import { statfs } from 'node:fs/promises';
import { conditions } from '@hilltop/contract';
import type { InstallationProblem } from './other-conditions.ts';

/** Whether the disk of the data directory is almost full. */
export function watchDisk(
  directory: string,
  readDisk: (path: string) => Promise<{ bavail: number; blocks: number }> = statfs,
): () => Promise<InstallationProblem[]> {
  let isLow = false;
  return async () => {
    const { bavail, blocks } = await readDisk(directory);
    const percent = Math.round((1000 * bavail) / blocks) / 10;
    const { freePercent, endPercent } = conditions.DISK_LOW.parameters;
    isLow = percent < (isLow ? endPercent : freePercent);
    return isLow ? [{ condition: 'DISK_LOW', value: percent }] : [];
  };
}
