import { byteOrderMark, csvLine, operations, type RequestOf } from '@hilltop/contract';
import type { CallForFile, DownloadFile } from './file.ts';

const { listRows } = operations.job;
const limit = 1000;

/** One line for each record of a job. */
export function jobRowsAsCSV(request: RequestOf<typeof listRows>, call: CallForFile): DownloadFile {
  return { name: `job-${request.id}.csv`, parts: csv(request, call) };
}

async function* csv(request: RequestOf<typeof listRows>, call: CallForFile): AsyncGenerator<string> {
  yield byteOrderMark + csvLine(['id', 'name', 'outcome', 'reason', 'message']);
  for (let offset = 0; ; offset += limit) {
    const page = await call(listRows, { ...request, limit, offset });
    if (!page) throw new Error('The job was removed, or the right to read it was taken away, during a download.');
    yield page.result
      .map(({ subject, name, outcome, reason, message }) => csvLine([subject, name, outcome, reason, message]))
      .join('');
    if (page.result.length < limit) return;
  }
}
