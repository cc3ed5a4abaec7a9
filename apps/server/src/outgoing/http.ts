import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { headersOfConnection } from '@hilltop/contract';
import { RpcError } from '@hilltop/protobuf';
import type { Logger } from 'pino';
import { setLatest } from '../latest-n.ts';
import type { Metrics } from '../metrics.ts';
import { version } from '../version.ts';
import { isBlockedPort } from './blocked-ports.ts';
import { DeliveryError } from './delivery-error.ts';
import type { ResolveAddresses } from './http-client.ts';
import type { Outgoing } from './outgoing.ts';
import type { HttpResponse, OutgoingRequest } from './outgoing-request.ts';
import { createSendingThread } from './thread.ts';

/** Requests to servers that somebody has filled in. */
export interface OutgoingHTTP {
  /**
   * Answers whatever the status is, of long answers the first 64 kB; redirects are not followed. Rejects with
   * DeliveryTrouble when nothing came back: `gone` when the address may not be gone to, `event` when the request is too
   * large, else `endpoint`; with Interrupted when nobody knows what arrived. Nothing of the URL but its host is in an error.
   */
  send(request: OutgoingRequest): Promise<HttpResponse>;
  close(): Promise<void>;
}

const mostSentBytes = 256 * 1024;
const addressesKept = 1000;
const agentName = `Hilltop/${version}`;

/** Of the thread that sends. */
interface ThreadNeeds {
  log: Pick<Logger, 'error'>;
  metrics: Pick<Metrics, 'count'>;
}

const ofConnection = new RegExp(`^(${headersOfConnection.join('|')})$`, 'i');

/**
 * What may be sent, and where to, is decided here; it is sent by another thread. `ca` is a file of certificate authorities
 * (PEM) to believe beside the known ones. With a `proxy` all goes by tunnels through it: it looks names up, and must itself
 * refuse those that lead where nobody may go. What is known here to lead there is not asked for.
 */
export function createOutgoingHTTP(
  outgoing: Outgoing,
  { ca = '', proxy = '', log, metrics }: { ca?: string; proxy?: string } & ThreadNeeds,
): OutgoingHTTP {
  const authorities = ca === '' ? '' : readFileSync(ca, 'utf8');
  // A file that holds none is to be seen at the start.
  if (ca !== '') createSecureContext({ ca: authorities });

  const find: ResolveAddresses = (hostname, port) =>
    outgoing.resolve(hostname, port).catch((error: unknown) => {
      throw troubleOf(hostname, error);
    });
  const thread = createSendingThread(find, { authorities, proxy }, { log, metrics });

  /** The parts of addresses: many requests go to few of them. */
  const kept = new Map<string, URL | null>();
  function parse(text: string): URL | null {
    let url = kept.get(text);
    if (url === undefined) setLatest(kept, addressesKept, text, (url = URL.parse(text)));
    return url;
  }

  /** What the proxy would look up is looked up here as well, as far as it is known here. */
  async function check({ hostname, port, protocol }: URL): Promise<void> {
    await outgoing.resolve(hostname, Number(port || (protocol === 'https:' ? 443 : 80))).catch((error: unknown) => {
      if (!(error instanceof RpcError && error.code === 'Unavailable')) throw troubleOf(hostname, error);
    });
  }

  return {
    send: async (request) => {
      const url = checked(parse(request.url), request);
      if (proxy !== '') await check(url);
      const { method, headers, body, timeoutMs } = request;
      return thread.send({
        origin: url.origin,
        path: `${url.pathname}${url.search}`,
        method,
        headers: ['user-agent', agentName, ...headers.flat()],
        body: method === 'GET' ? null : body,
        timeoutMs,
      });
    },
    close: () => thread.close(),
  };
}

function checked(url: URL | null, { headers, body }: OutgoingRequest): URL {
  if (!url || !/^https?:$/.test(url.protocol))
    throw new DeliveryError('gone', 'The address is none of http:// or https://. Correct it.');
  if (url.username !== '' || url.password !== '')
    throw new DeliveryError('gone', 'The address holds a user name or password. Give them as a header.');
  if (isBlockedPort(Number(url.port || 443)))
    throw new DeliveryError('gone', `Port ${url.port} of ${url.hostname} is no port of web servers. Give another one.`);
  if (headers.some(([name]) => ofConnection.test(name)))
    throw new DeliveryError('gone', 'One of the headers belongs to the connection and cannot be chosen. Remove it.');
  if (Buffer.byteLength(body) > mostSentBytes)
    throw new DeliveryError('event', `The event became larger than ${mostSentBytes / 1024} kB.`);
  return url;
}

function troubleOf(hostname: string, error: unknown): DeliveryError {
  if (!(error instanceof RpcError))
    return new DeliveryError('endpoint', `The name ${hostname} cannot be looked up: unknown failure.`);
  return new DeliveryError(error.code === 'FailedPrecondition' ? 'gone' : 'endpoint', error.message);
}
