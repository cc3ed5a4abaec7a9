import type { DownloadFormatName, DownloadKindName, downloadKinds, RequestOf } from '@hilltop/contract';
import { auditAsCSV, auditAsLines } from './audit-file.ts';
import { deviceFile, type ExportDependencies } from './device-file.ts';
import { diagnosisFile } from './diagnosis-file.ts';
import type { CallForFile, DownloadFile } from './file.ts';
import { framesAsCSV, framesAsLines } from './frames-file.ts';
import { gatewayFile } from './gateway-file.ts';
import { eventsAsCSV, eventsAsLines } from './history-file.ts';
import { importRowsAsCSV } from './import-rows-file.ts';
import { jobRowsAsCSV } from './job-rows-file.ts';

type WriteFile<Kind extends DownloadKindName> = (
  request: RequestOf<(typeof downloadKinds)[Kind]['operation']>,
  call: CallForFile,
  needs: ExportDependencies,
) => DownloadFile;

/** How each kind is written in each of its formats. */
export const fileKinds: {
  readonly [Kind in DownloadKindName]: {
    readonly [Format in (typeof downloadKinds)[Kind]['formats'][number]]: WriteFile<Kind>;
  };
} = {
  HISTORY: { NDJSON: eventsAsLines, CSV: eventsAsCSV },
  DIAGNOSIS: { JSON: diagnosisFile },
  JOB_ROWS: { CSV: jobRowsAsCSV },
  DEVICES: { CSV: deviceFile('CSV'), NDJSON: deviceFile('NDJSON') },
  GATEWAYS: { CSV: gatewayFile('CSV'), NDJSON: gatewayFile('NDJSON') },
  IMPORT_ROWS: { CSV: importRowsAsCSV },
  FRAMES: { NDJSON: framesAsLines, CSV: framesAsCSV },
  AUDIT: { NDJSON: auditAsLines, CSV: auditAsCSV },
};

export const contentTypes: Readonly<Record<DownloadFormatName, string>> = {
  NDJSON: 'application/x-ndjson',
  CSV: 'text/csv; charset=utf-8',
  JSON: 'application/json',
};
