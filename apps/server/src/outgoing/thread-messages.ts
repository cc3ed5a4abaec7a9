import type { LookupAddress } from 'node:dns';
import type { DeliveryError } from './delivery-error.ts';
import type { HttpResponse } from './outgoing-request.ts';

/** A request that was checked, ready for the sending thread. */
export interface CheckedRequest {
  origin: string;
  /** With its query. */
  path: string;
  method: 'GET' | 'POST';
  /** Names and values alternate. */
  headers: string[];
  body: string | Uint8Array | null;
  /** For the whole exchange. */
  timeoutMs: number;
  maxResponseBytes: number;
}

/** The fields of a DeliveryError: threads do not transfer classes. */
export type TransferredError = Pick<DeliveryError, 'fault' | 'message'>;

export type RequestOutcome = { id: number } & ({ response: HttpResponse } | { error: TransferredError });
export type ResolvedAddresses = { addresses: LookupAddress[] } | { error: TransferredError };

/** To the sending thread: requests to send, or the result of a lookup that it asked for. */
export type ToThread =
  | { requests: (CheckedRequest & { id: number })[] }
  | { lookup: number; result: ResolvedAddresses };

/** From the sending thread: outcomes of requests, or a name whose addresses it wants to connect to. */
export type FromThread = { outcomes: RequestOutcome[] } | { lookup: number; hostname: string; port: number };

/** A message costs as much as the rest of a request: messages within this time are sent together. */
export const messageIntervalMs = 2;

/** Copies a view: transferring it would copy the whole buffer behind it, with unrelated data. */
export function copyOfView<Body extends string | Uint8Array | null>(body: Body): Body | Uint8Array {
  if (!(body instanceof Uint8Array) || body.byteLength === body.buffer.byteLength) return body;
  return new Uint8Array(body);
}
