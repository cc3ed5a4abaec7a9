import {
  type AuditChange,
  type AuditEntry,
  byteOrderMark,
  csvLine,
  operations,
  type RequestOf,
} from '@hilltop/contract';
import type { CallForFile, DownloadFile } from './file.ts';

const { list } = operations.audit;
type AuditRequest = RequestOf<typeof list>;

const limit = 500;
const columns = [
  ...([
    'at',
    'actorName',
    'address',
    'organizationID',
    'operation',
    'subjectKind',
    'subjectID',
    'subjectName',
  ] as const),
  ...(['outcome', 'requestID', 'jobID'] as const),
] as const;

/** The entries that match, the newest first, in pages. */
async function* pagesOf(request: AuditRequest, call: CallForFile): AsyncGenerator<readonly AuditEntry[]> {
  for (let { before } = request; ; ) {
    const page = await call(list, { ...request, before, limit });
    if (!page) throw new Error('The right to read the audit log was taken away during a download.');
    yield page.result;
    if (page.older === '') return;
    before = page.older;
  }
}

/** One JSON object per line. */
export function auditAsLines(request: AuditRequest, call: CallForFile): DownloadFile {
  return { name: 'audit.ndjson', parts: lines(request, call) };
}

async function* lines(request: AuditRequest, call: CallForFile): AsyncGenerator<string> {
  for await (const entries of pagesOf(request, call))
    yield entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
}

/** One line for each entry; the last column has its changes. */
export function auditAsCSV(request: AuditRequest, call: CallForFile): DownloadFile {
  return { name: 'audit.csv', parts: csv(request, call) };
}

async function* csv(request: AuditRequest, call: CallForFile): AsyncGenerator<string> {
  yield byteOrderMark + csvLine([...columns, 'changes']);
  for await (const entries of pagesOf(request, call))
    yield entries
      .map((entry) => csvLine([...columns.map((name) => entry[name]), entry.changes.map(changeText).join('; ')]))
      .join('');
}

function changeText({ field, before, after, secret }: AuditChange): string {
  return secret === 'NONE' ? `${field}: ${before} → ${after}` : `${field}: ${secret.toLowerCase()}`;
}
