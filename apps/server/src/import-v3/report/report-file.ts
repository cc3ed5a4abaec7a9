import { open } from 'node:fs/promises';
import { StartError } from '../../start-error.ts';
import type { Report } from './report.ts';

/** The file of a report. */
export interface ReportFile extends AsyncDisposable {
  path: string;
  /** Replaces the file. */
  write: (report: Report) => Promise<void>;
}

/**
 * Opens the file of a report before the import, since a report cannot be produced again. An existing file stays
 * unchanged until the report is written. Only the owner may read the file, even if it existed. Throws StartError when
 * it cannot be written.
 */
export async function openReportFile(path: string): Promise<ReportFile> {
  try {
    const file = await open(path, 'a', 0o600);
    // Permissions and length of a device such as /dev/null are not changed.
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
