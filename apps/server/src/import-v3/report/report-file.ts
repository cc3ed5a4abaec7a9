import { open } from 'node:fs/promises';
import { StartError } from '../../start-error.ts';
import type { Report } from './report.ts';

/** Where a report goes. */
export interface ReportFile extends AsyncDisposable {
  path: string;
  /** In place of what is there. */
  write: (report: Report) => Promise<void>;
}

/**
 * Opened before anything is moved: afterwards the report is the only one of its kind. What is there stays until it is
 * written. Only its owner may read it, also when it was there already. Throws StartError when it cannot be written.
 */
export async function openReportFile(path: string): Promise<ReportFile> {
  try {
    const file = await open(path, 'a', 0o600);
    // Of a device such as /dev/null neither the rights nor the length are ours to change.
    const isPlain = (await file.stat()).isFile();
    if (isPlain) await file.chmod(0o600);
    return {
      path,
      write: async (report) => {
        if (isPlain) await file.truncate();
        await file.writeFile(`${JSON.stringify(report, null, 2)}\n`);
      },
      [Symbol.asyncDispose]: () => file.close(),
    };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new StartError(`The report cannot be written to ${path} (${code}): name another file with --report.`);
  }
}
