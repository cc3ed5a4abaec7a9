import { DeliveryError } from '../outgoing/delivery-error.ts';
import type { HttpResponse } from '../outgoing/outgoing-request.ts';

const maxRetryAfterMs = 3_600_000;
const excerptBytes = 512;

/** Statuses with which an endpoint refuses this event and may accept others. */
const eventStatuses = new Set([400, 413, 415, 422]);

/** Throws a DeliveryError unless the status is 2xx. Adapters of endpoints with other rules check the response first. */
export function expectSuccess(response: HttpResponse, now: Date): void {
  const { status } = response;
  if (status >= 200 && status < 300) return;
  throw new DeliveryError(faultOf(status), messageOf(response), {
    status,
    excerpt: excerptOf(response),
    ...retryAfter(response, now),
  });
}

function faultOf(status: number): DeliveryError['fault'] {
  if (status === 410) return 'gone';
  return eventStatuses.has(status) ? 'event' : 'endpoint';
}

function messageOf({ status, headers }: HttpResponse): string {
  if (status === 410) return 'The endpoint reports that it no longer exists (410).';
  if (status >= 300 && status < 400) {
    const host = URL.parse(headers['location'] ?? '')?.host;
    return host
      ? `The endpoint moved to ${host} (${status}). Enter that address.`
      : `The endpoint moved (${status}). Enter its new address.`;
  }
  if (status === 401 || status === 403 || status === 407)
    return `The endpoint rejects the credentials (${status}). Check keys, tokens and headers.`;
  if (status === 404) return 'The endpoint does not know this path (404). Check the address.';
  if (status === 429) return 'The endpoint limits requests (429).';
  return eventStatuses.has(status) ? `The endpoint refused the event (${status}).` : `The endpoint answered ${status}.`;
}

/** The beginning of a response, '' when it is not text. */
export function excerptOf({ body }: HttpResponse): string {
  const text = Buffer.from(body).subarray(0, excerptBytes).toString('utf8');
  return text.includes('\0') ? '' : text;
}

/** RFC 9110 section 10.2.3: seconds or a date. */
function retryAfter({ headers }: HttpResponse, now: Date): { retryAfterMs?: number } {
  const text = headers['retry-after'] ?? '';
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now.getTime();
  return ms > 0 ? { retryAfterMs: Math.min(ms, maxRetryAfterMs) } : {};
}
