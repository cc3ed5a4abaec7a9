import { byteOrderMark, csvLine, operations, type RequestOf } from '@hilltop/contract';
import type { CallForFile, DownloadFile } from './file.ts';

const { fileImport } = operations;

/** The rows of an import that were not imported, with the reason in a column `error`: to mend and import again. */
export function importRowsAsCSV({ id }: RequestOf<typeof fileImport.get>, call: CallForFile): DownloadFile {
  return { name: 'import-errors.csv', parts: parts(id, call) };
}

const limit = 500;

async function* parts(id: string, call: CallForFile): AsyncGenerator<string> {
  const found = await call(fileImport.get, { id });
  if (!found) throw new Error('The import has expired.');
  // A file that comes from here has the column already.
  const shown = found.columns.flatMap(({ name }, at) => (name === 'error' ? [] : at));
  // Nothing was uploaded yet.
  if (found.columns.length === 0) return yield byteOrderMark + csvLine(['error']);
  yield byteOrderMark + csvLine([...shown.map((at) => found.columns[at]!.name), 'error']);
  for (let offset = 0; ; offset += limit) {
    // Until the import is started, the rows without problems are not for this file.
    const page = await call(fileImport.listRows, { id, problemsOnly: found.jobID === '', limit, offset });
    if (!page || page.result.length === 0) return;
    yield page.result
      .map(({ cells, problems }) => {
        const sentences = problems.map(({ field, text }) => (field === '' ? text : `${field}: ${text}`));
        return csvLine([...shown.map((at) => cells[at] ?? ''), sentences.join(' ')]);
      })
      .join('');
  }
}
