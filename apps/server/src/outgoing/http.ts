import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { headersOfConnection } from '@hilltop/contract';
import { RpcError } from '@hilltop/protobuf';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { Metrics } from '../metrics.ts';
import { version } from '../version.ts';
import { isBlockedPort } from './blocked-ports.ts';
import { DeliveryError } from './delivery-error.ts';
import type { ResolveAddresses } from './http-client.ts';
import type { Outgoing } from './outgoing.ts';
import type { HttpResponse, OutgoingRequest } from './outgoing-request.ts';
import { createSendingThread } from './thread.ts';

/** Sends requests to addresses that users configure. */
export interface OutgoingHTTP {
  /**
   * Resolves with any status, and with the beginning of a long response; redirects are not followed. Rejects with
   * DeliveryError without a response: `gone` when the address is not allowed, `event` when the request is too large,
   * else `endpoint`; and with DeliveryInterrupted when it is unknown whether the request arrived. Errors contain
   * nothing of the URL but its host.
   */
  send(request: OutgoingRequest): Promise<HttpResponse>;
  close(): Promise<void>;
}

const usualResponseBytes = 64 * 1024;
const maxRequestBytes = 256 * 1024;
const maxParsedURLs = 1000;
const agentName = `Hilltop/${version}`;

const connectionHeader = new RegExp(`^(${headersOfConnection.join('|')})$`, 'i');

/**
 * Checks requests and their addresses, and passes them to the sending thread. `ca` is a file of certificate authorities
 * (PEM) to trust in addition. With a `proxy`, all requests use tunnels through it: the proxy looks names up and must
 * itself refuse the addresses that are not allowed. Addresses that this server can resolve are checked here as well.
 */
export function createOutgoingHTTP(
  outgoing: Outgoing,
  {
    ca = '',
    proxy = '',
    log,
    metrics,
  }: { ca?: string; proxy?: string; log: Pick<Logger, 'error'>; metrics: Pick<Metrics, 'count'> },
): OutgoingHTTP {
  const authorities = ca === '' ? '' : readFileSync(ca, 'utf8');
  // An invalid file fails the start of the server rather than the first delivery.
  if (ca !== '') createSecureContext({ ca: authorities });

  const resolveAddresses: ResolveAddresses = (hostname, port) =>
    outgoing.resolve(hostname, port).catch((error: unknown) => {
      throw toDeliveryError(hostname, error);
    });
  const thread = createSendingThread(resolveAddresses, { authorities, proxy }, { log, metrics });

  /** Parsed URLs by their text: many requests go to few URLs. */
  const parsed = new LRUCache<string, URL>({ max: maxParsedURLs });
  function parse(text: string): URL | null {
    const url = parsed.get(text) ?? URL.parse(text);
    if (url) parsed.set(text, url);
    return url;
  }

  /** Refuses addresses that the proxy would look up, as far as this server can resolve them. */
  async function checkBeforeProxy({ hostname, port, protocol }: URL): Promise<void> {
    await outgoing.resolve(hostname, Number(port || (protocol === 'https:' ? 443 : 80))).catch((error: unknown) => {
      if (!(error instanceof RpcError && error.code === 'Unavailable')) throw toDeliveryError(hostname, error);
    });
  }

  return {
    send: async (request) => {
      const url = checkRequest(parse(request.url), request);
      if (proxy !== '') await checkBeforeProxy(url);
      const { method, headers, body, timeoutMs, maxResponseBytes = usualResponseBytes } = request;
      return thread.send({
        origin: url.origin,
        path: `${url.pathname}${url.search}`,
        method,
        headers: ['user-agent', agentName, ...headers.flat()],
        body: method === 'GET' ? null : body,
        timeoutMs,
        maxResponseBytes,
      });
    },
    close: () => thread.close(),
  };
}

function checkRequest(url: URL | null, { headers, body }: OutgoingRequest): URL {
  if (!url || !/^https?:$/.test(url.protocol))
    throw new DeliveryError('gone', 'The address is none of http:// or https://. Correct it.');
  if (url.username !== '' || url.password !== '')
    throw new DeliveryError('gone', 'The address holds a user name or password. Give them as a header.');
  if (isBlockedPort(Number(url.port || 443)))
    throw new DeliveryError('gone', `Port ${url.port} of ${url.hostname} is no port of web servers. Give another one.`);
  if (headers.some(([name]) => connectionHeader.test(name)))
    throw new DeliveryError('gone', 'One of the headers belongs to the connection and cannot be chosen. Remove it.');
  if (Buffer.byteLength(body) > maxRequestBytes)
    throw new DeliveryError('event', `The event became larger than ${maxRequestBytes / 1024} kB.`);
  return url;
}

function toDeliveryError(hostname: string, error: unknown): DeliveryError {
  if (!(error instanceof RpcError))
    return new DeliveryError('endpoint', `The name ${hostname} cannot be looked up: unknown failure.`);
  return new DeliveryError(error.code === 'FailedPrecondition' ? 'gone' : 'endpoint', error.message);
}
