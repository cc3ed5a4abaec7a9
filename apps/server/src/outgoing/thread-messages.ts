import type { LookupAddress } from 'node:dns';
import type { DeliveryError } from './delivery-error.ts';
import type { HttpResponse } from './outgoing-request.ts';

/** A request that was checked, as the thread that sends takes it. */
export interface CheckedRequest {
  origin: string;
  /** With its query. */
  path: string;
  method: 'GET' | 'POST';
  /** Names and values in turn. */
  headers: string[];
  body: string | Uint8Array | null;
  /** For the whole of it. */
  timeoutMs: number;
}

/** A DeliveryTrouble on its way between threads, where classes do not travel. */
export type TransferredError = Pick<DeliveryError, 'fault' | 'message'>;

export type RequestOutcome = { id: number } & ({ answer: HttpResponse } | { trouble: TransferredError });
export type ResolvedAddresses = { addresses: LookupAddress[] } | { trouble: TransferredError };

/** What the thread is told: what to send, and where a name leads that it asked for. */
export type ToThread =
  | { letters: (CheckedRequest & { id: number })[] }
  | { question: number; found: ResolvedAddresses };

/** What it tells: what came of letters, and a name whose addresses it may connect to. */
export type FromThread = { outcomes: RequestOutcome[] } | { question: number; hostname: string; port: number };

/** A message costs either thread as much as all else of a request: what comes in quick succession goes together. */
export const messageIntervalMs = 2;

/** A view would take along all of the memory it is a part of, with whatever else is in there. */
export function copyOfView<Body extends string | Uint8Array | null>(body: Body): Body | Uint8Array {
  if (!(body instanceof Uint8Array) || body.byteLength === body.buffer.byteLength) return body;
  return new Uint8Array(body);
}
