import type { FrameFilter, HistoryFilter } from '@hilltop/contract';
import type { ConditionChanges, EvaluationRequest } from '../conditions/evaluate.ts';
import type { FleetCounts, FleetRequest } from '../conditions/fleet-counts.ts';
import type { AlertChanges } from './alert-changes.ts';
import type { ConditionAlertsRequest } from './condition-alerts.ts';
import type { Cut, CutRequest } from './cut.ts';
import type { DependentsRequest, FoundDependents } from './dependents.ts';
import type { KnownFields } from './field-list.ts';
import type { HistoryPage, PageRequest } from './read-page.ts';
import type { HistoryOwner, SeriesAnswer, SeriesRequest } from './read-series.ts';
import type { Sealed, SealRequest } from './seal.ts';
import type { HistoryLimits } from './shortened.ts';
import type { StorageSize } from './storage-sizes.ts';
import type { ValueAlerts, ValueAlertsRequest } from './value-alerts.ts';

export interface HistoryRead extends PageRequest, HistoryOwner {
  readonly filter: HistoryFilter;
}

export interface FramesRead extends PageRequest, HistoryOwner {
  readonly filter: FrameFilter;
}

/** A page whose events are written as the API returns them. */
export interface WrittenPage extends Omit<HistoryPage, 'events'> {
  readonly json: string;
}

/** What the main thread asks the history worker: argument and result of each call. */
export interface WorkerCalls {
  read: (request: HistoryRead) => Promise<WrittenPage>;
  /** The payload of each event is the frame in the form of the frame stream. */
  frames: (request: FramesRead) => Promise<HistoryPage>;
  fields: (request: HistoryOwner) => Promise<KnownFields>;
  series: (request: SeriesRequest) => Promise<SeriesAnswer>;
  dependents: (request: DependentsRequest) => Promise<FoundDependents>;
  seal: (request: SealRequest) => Promise<Sealed>;
  cut: (request: CutRequest) => Promise<Cut>;
  storageSizes: () => Promise<StorageSize[]>;
  sealedPosition: () => Promise<number>;
  fleet: (request: FleetRequest) => Promise<FleetCounts>;
  conditionAlerts: (request: ConditionAlertsRequest) => Promise<AlertChanges>;
  valueAlerts: (request: ValueAlertsRequest) => Promise<ValueAlerts>;
  evaluate: (request: EvaluationRequest & HistoryLimits) => Promise<ConditionChanges>;
}

export type CallName = keyof WorkerCalls;
export interface WorkerCall {
  readonly id: number;
  readonly name: CallName;
  readonly request: unknown;
}

/**
 * Events are sent as one text, because copies of many texts cost more than the search. Bytes that move between threads
 * would count as external memory, which makes V8 collect all garbage hundreds of times in a minute.
 * `renamedTo` is the new name of a damaged file.
 */
export type FromWorker =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly page: Omit<HistoryPage, 'events'>; readonly events: string }
  | { readonly id: number; readonly failure: { readonly message: string; readonly isDiskFull: boolean } }
  | { readonly renamedTo: string };
