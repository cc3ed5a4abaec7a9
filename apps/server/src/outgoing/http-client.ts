import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { createSecureContext, getCACertificates } from 'node:tls';
import { Agent, buildConnector, errors, ProxyAgent } from 'undici';
import { DeliveryError } from './delivery-error.ts';
import { exchange, timeoutError } from './exchange.ts';
import type { HttpResponse } from './outgoing-request.ts';
import type { CheckedRequest } from './thread-messages.ts';

/** The checked addresses of a host. Rejects with DeliveryError when there are none, or one of them is not allowed. */
export type ResolveAddresses = (hostname: string, port: number) => Promise<LookupAddress[]>;

export interface HttpClientOptions {
  /** Certificate authorities (PEM) to trust in addition; '' for none. */
  authorities: string;
  /** '' for none. */
  proxy: string;
}

const connectMs = 5_000;
const firstByteMs = 10_000;
const idleMs = 30_000;
const maxHeaderBytes = 16 * 1024;

/**
 * Sends checked requests over pooled connections. Rejects with DeliveryError without a response. Errors contain nothing of
 * the request but its host.
 */
export function createHttpClient(
  resolveAddresses: ResolveAddresses,
  { authorities, proxy }: HttpClientOptions,
): (request: CheckedRequest) => Promise<HttpResponse> {
  const extra = authorities === '' ? {} : { ca: [...getCACertificates('default'), authorities] };
  const secureContext = createSecureContext({ minVersion: 'TLSv1.2', ...extra });

  /** Connects to the checked addresses, as the name may lead to other ones a moment later. */
  async function connect(options: buildConnector.Options, callback: buildConnector.Callback): Promise<void> {
    const port = Number(options.port || (options.protocol === 'https:' ? 443 : 80));
    try {
      const addresses = await resolveAddresses(options.hostname, port);
      const lookup: LookupFunction = (_name, { all }, answer) => {
        if (all) answer(null, addresses);
        else answer(null, addresses[0]!.address, addresses[0]!.family);
      };
      buildConnector({ timeout: connectMs, allowH2: false, maxCachedSessions: 0, lookup, secureContext })(
        options,
        callback,
      );
    } catch (error) {
      callback(error as Error, null);
    }
  }

  const limits = {
    allowH2: false,
    // The permits of the delivery limit the connections. With a limit of its own, a server that does not answer at one path
    // would delay all integrations that send to it.
    connections: null,
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: idleMs,
    headersTimeout: firstByteMs,
    bodyTimeout: 0,
    maxHeaderSize: maxHeaderBytes,
  };
  const agent =
    proxy === ''
      ? new Agent({ ...limits, connect: (options, callback) => void connect(options, callback) })
      : new ProxyAgent({
          ...limits,
          uri: proxy,
          proxyTunnel: true,
          connectTimeout: connectMs,
          requestTls: { secureContext },
        });

  return ({ timeoutMs, maxResponseBytes: maxBytes, ...request }) =>
    exchange(agent, request, { timeoutMs, maxBytes }).catch((error: unknown) => {
      throw error instanceof DeliveryError ? error : toDeliveryError(request.origin, error, proxy !== '');
    });
}

function toDeliveryError(origin: string, error: unknown, usesProxy: boolean): DeliveryError {
  const { hostname, host } = new URL(origin);
  const isProxyFailure = usesProxy && connectFailures.test((error as { code?: string }).code ?? '');
  const sentence = isProxyFailure ? 'The proxy of this server cannot be reached' : sentenceOf(error);
  return new DeliveryError('endpoint', `${sentence} (${isIP(hostname) ? host : hostname})`);
}

/** With a proxy, these mean that connecting to the proxy failed. */
const connectFailures =
  /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT)$/;

/** TLS failures by their codes, with a remedy for users. */
const tlsFailures: readonly (readonly [codes: RegExp, sentence: string])[] = [
  [/^CERT_HAS_EXPIRED$/, 'Its TLS certificate has expired. Have it renewed there'],
  [/^CERT_NOT_YET_VALID$/, 'Its TLS certificate is not valid yet. Check the clocks of both'],
  [/^ERR_TLS_CERT_ALTNAME/, 'Its TLS certificate is for another name. Enter the address by the name it is for'],
  [
    /^(DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED|UNABLE_TO|CERT_SIGNATURE)/,
    'Its TLS certificate is of an authority nobody knows. Get one of a known authority, or name its authority in HILLTOP_OUTGOING_CA',
  ],
  [
    /^(ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION|ERR_SSL_UNSUPPORTED_PROTOCOL|ERR_SSL_NO_PROTOCOLS)/,
    'It speaks no TLS from version 1.2 on. Have it updated',
  ],
  [/^ERR_SSL_TLSV1_ALERT_NO_APPLICATION/, 'It speaks only HTTP/2. Have it speak HTTP/1.1 as well'],
  [
    /^(ERR_SSL_WRONG_VERSION|ERR_SSL_PACKET_LENGTH|ERR_SSL_HTTP)/,
    'It does not speak TLS. Is it an address of http://?',
  ],
  [/^(ERR_TLS|ERR_SSL|EPROTO|CERT_)/, 'Its TLS certificate or handshake is not good'],
];

/** Does not use messages of libraries, as they may quote the request. */
function sentenceOf(error: unknown): string {
  const { code = '' } = error as { code?: string };
  if (error === timeoutError || error instanceof errors.HeadersTimeoutError) return 'It did not answer in time';
  if (error instanceof errors.ConnectTimeoutError) return `It could not be connected to within ${connectMs / 1000} s`;
  if (error instanceof errors.HeadersOverflowError) return 'It answered with more than 16 kB of headers';
  if (error instanceof errors.InvalidArgumentError) return 'A header holds characters that cannot be sent';
  const tlsFailure = tlsFailures.find(([codes]) => codes.test(code));
  if (tlsFailure) return `${tlsFailure[1]}: ${code}`;
  if (code === 'ECONNREFUSED') return 'It refuses connections. Check that it runs, and its port';
  if (code === 'UND_ERR_SOCKET' || code === 'ECONNRESET') return 'It closed the connection';
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH') return 'Its answer is not as long as it says';
  if (code === 'UND_ERR_PRX_CONN') return 'The proxy of this server does not connect to it';
  // The library fails an assertion for a status below 100.
  if (error instanceof errors.HTTPParserError || code === 'ERR_ASSERTION') return 'It does not answer with HTTP';
  return `It cannot be reached: ${/^[A-Z_]+$/.test(code) ? code : 'unknown failure'}`;
}
