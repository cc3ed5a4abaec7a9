import type { DownloadFormatName, DownloadKindName, downloadKinds, RequestOf } from '@hilltop/contract';
import { diagnosisFile } from './diagnosis-file.ts';
import type { CallForFile, DownloadFile } from './file.ts';
import { eventsAsCSV, eventsAsLines } from './history-file.ts';

type WriteFile<Kind extends DownloadKindName> = (
  request: RequestOf<(typeof downloadKinds)[Kind]['operation']>,
  call: CallForFile,
) => DownloadFile;

/** How each kind is written in each of its formats. */
export const fileKinds: {
  readonly [Kind in DownloadKindName]: {
    readonly [Format in (typeof downloadKinds)[Kind]['formats'][number]]: WriteFile<Kind>;
  };
} = {
  HISTORY: { NDJSON: eventsAsLines, CSV: eventsAsCSV },
  DIAGNOSIS: { JSON: diagnosisFile },
};

export const contentTypes: Readonly<Record<DownloadFormatName, string>> = {
  NDJSON: 'application/x-ndjson',
  CSV: 'text/csv; charset=utf-8',
  JSON: 'application/json',
};
