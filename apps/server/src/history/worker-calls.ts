import type { Cut, CutRequest } from './cut.ts';
import type { HistoryPage, PageRequest } from './read-page.ts';
import type { Sealed, SealRequest } from './seal.ts';

export interface HistoryRead extends PageRequest {
  readonly devEUI: string;
  /** The position of the newest event of the device in the log. */
  readonly last: number | null;
  /** Events up to this position are of an earlier device with the same DevEUI. */
  readonly above: number;
}

/** What the main thread asks the history worker: argument and result of each call. */
export interface WorkerCalls {
  read: (request: HistoryRead) => Promise<HistoryPage>;
  seal: (request: SealRequest) => Promise<Sealed>;
  cut: (request: CutRequest) => Promise<Cut>;
  sealedPosition: () => Promise<number>;
}

export type CallName = keyof WorkerCalls;
export interface WorkerCall {
  readonly id: number;
  readonly name: CallName;
  readonly request: unknown;
}

/** `aside` is the new name of a damaged file. */
export type FromWorker =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly failure: { readonly message: string; readonly isDiskFull: boolean } }
  | { readonly aside: string };
