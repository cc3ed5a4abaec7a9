import type {
  DownloadFormatName,
  DownloadKindName,
  downloadKinds,
  Operation,
  RequestOf,
  ResponseOf,
} from '@hilltop/contract';
import { diagnosisFile } from './diagnosis-file.ts';
import { eventsAsCSV, eventsAsLines } from './history-file.ts';

/**
 * Makes another call with the rights of the person who downloads. Resolves with undefined when the person may not make
 * it, or the record does not exist.
 */
export type CallForFile = <O extends Operation>(
  operation: O,
  request: RequestOf<O>,
) => Promise<ResponseOf<O> | undefined>;

/** A file in parts, each of which is written when the receiver has taken the one before. */
export interface DownloadFile {
  readonly name: string;
  readonly parts: AsyncGenerator<string>;
}

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
