import { readFileSync } from 'node:fs';
import { isIP, type LookupFunction } from 'node:net';
import { createSecureContext, getCACertificates } from 'node:tls';
import { headersOfConnection } from '@hilltop/contract';
import { RpcError } from '@hilltop/protobuf';
import { Agent, buildConnector, errors, ProxyAgent } from 'undici';
import { type Answer, DeliveryTrouble, type OutgoingRequest } from '../integrations/integration.ts';
import { version } from '../version.ts';
import { isBlockedPort } from './blocked-ports.ts';
import { exchange, tooLate } from './exchange.ts';
import type { Outgoing } from './outgoing.ts';

/** Requests to servers that somebody has filled in. */
export interface OutgoingHTTP {
  /**
   * Answers whatever the status is, of long answers the first 64 kB; redirects are not followed. Rejects with
   * DeliveryTrouble when nothing came back: `gone` when the address may not be gone to, `event` when the request is too
   * large, else `endpoint`. Nothing of the URL but its host is in an error.
   */
  send(request: OutgoingRequest): Promise<Answer>;
  close(): Promise<void>;
}

const connectMs = 5_000;
const firstByteMs = 10_000;
const idleMs = 30_000;
const connectionsPerOrigin = 32;
const mostSentBytes = 256 * 1024;
const mostReadBytes = 64 * 1024;
const mostHeaderBytes = 16 * 1024;
const agentName = `Hilltop/${version}`;

const ofConnection = new RegExp(`^(${headersOfConnection.join('|')})$`, 'i');

/**
 * `ca` is a file of certificate authorities (PEM) to believe beside the known ones. With a `proxy` all goes by tunnels
 * through it: it looks names up, and must itself refuse those that lead where nobody may go. What is known here to lead
 * there is not asked for.
 */
export function createOutgoingHTTP(
  outgoing: Outgoing,
  { ca = '', proxy = '' }: { ca?: string; proxy?: string } = {},
): OutgoingHTTP {
  const extra = ca === '' ? {} : { ca: [...getCACertificates('default'), readFileSync(ca, 'utf8')] };
  const secureContext = createSecureContext({ minVersion: 'TLSv1.2', ...extra });

  /** Connects to the addresses that were checked, never to what the name means a moment later. */
  async function connect(options: buildConnector.Options, callback: buildConnector.Callback): Promise<void> {
    const port = Number(options.port || (options.protocol === 'https:' ? 443 : 80));
    try {
      const addresses = await outgoing.resolve(options.hostname, port);
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
    connections: connectionsPerOrigin,
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: idleMs,
    headersTimeout: firstByteMs,
    bodyTimeout: 0,
    maxHeaderSize: mostHeaderBytes,
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

  /** What the proxy would look up is looked up here as well, as far as it is known here. */
  async function check({ hostname, port, protocol }: URL): Promise<void> {
    await outgoing.resolve(hostname, Number(port || (protocol === 'https:' ? 443 : 80))).catch((error: unknown) => {
      if (!(error instanceof RpcError && error.code === 'Unavailable')) throw error;
    });
  }

  return {
    send: async (request) => {
      const url = checked(request);
      try {
        if (proxy !== '') await check(url);
        return await exchange(
          agent,
          {
            origin: url.origin,
            path: `${url.pathname}${url.search}`,
            method: request.method,
            headers: ['user-agent', agentName, ...request.headers.flat()],
            body: request.method === 'GET' ? null : request.body,
          },
          { timeoutMs: request.timeoutMs, mostBytes: mostReadBytes },
        );
      } catch (error) {
        throw troubleOf(url, error);
      }
    },
    close: () => agent.destroy(),
  };
}

function checked({ url: text, headers, body }: OutgoingRequest): URL {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol))
    throw new DeliveryTrouble('gone', 'The address is none of http:// or https://. Correct it.');
  if (url.username !== '' || url.password !== '')
    throw new DeliveryTrouble('gone', 'The address holds a user name or password. Give them as a header.');
  if (isBlockedPort(Number(url.port || 443)))
    throw new DeliveryTrouble(
      'gone',
      `Port ${url.port} of ${url.hostname} is no port of web servers. Give another one.`,
    );
  if (headers.some(([name]) => ofConnection.test(name)))
    throw new DeliveryTrouble('gone', 'One of the headers belongs to the connection and cannot be chosen. Remove it.');
  if (Buffer.byteLength(body) > mostSentBytes)
    throw new DeliveryTrouble('event', `The event became larger than ${mostSentBytes / 1024} kB.`);
  return url;
}

function troubleOf({ hostname, host }: URL, error: unknown): DeliveryTrouble {
  if (error instanceof RpcError)
    return new DeliveryTrouble(error.code === 'FailedPrecondition' ? 'gone' : 'endpoint', error.message);
  return new DeliveryTrouble('endpoint', `${sentenceOf(error)} (${isIP(hostname) ? host : hostname})`);
}

/** What is not good about the TLS of a server, and what to do. */
const tlsFailures: readonly (readonly [codes: RegExp, sentence: string])[] = [
  [/^CERT_HAS_EXPIRED$/, 'Its TLS certificate has expired. Have it renewed there'],
  [/^CERT_NOT_YET_VALID$/, 'Its TLS certificate is not valid yet. Check the clocks of both'],
  [/^ERR_TLS_CERT_ALTNAME/, 'Its TLS certificate is for another name. Enter the address by the name it is for'],
  [
    /^(DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED|UNABLE_TO)/,
    'Its TLS certificate is of an authority nobody knows. Get one of a known authority, or name its authority in HILLTOP_OUTGOING_CA',
  ],
  [
    /^(ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION|ERR_SSL_UNSUPPORTED_PROTOCOL|ERR_SSL_NO_PROTOCOLS)/,
    'It speaks no TLS from version 1.2 on. Have it updated',
  ],
  [
    /^(ERR_SSL_WRONG_VERSION|ERR_SSL_PACKET_LENGTH|ERR_SSL_HTTP)/,
    'It does not speak TLS. Is it an address of http://?',
  ],
  [/^(ERR_TLS|ERR_SSL|EPROTO|CERT_)/, 'Its TLS certificate or handshake is not good'],
];

/** Our own words: those of libraries may quote what was sent. */
function sentenceOf(error: unknown): string {
  const { code = '' } = error as { code?: string };
  if (error === tooLate || error instanceof errors.HeadersTimeoutError) return 'It did not answer in time';
  if (error instanceof errors.ConnectTimeoutError) return `It could not be connected to within ${connectMs / 1000} s`;
  if (error instanceof errors.HeadersOverflowError) return 'It answered with more than 16 kB of headers';
  if (error instanceof errors.InvalidArgumentError) return 'A header holds characters that cannot be sent';
  const ofTLS = tlsFailures.find(([codes]) => codes.test(code));
  if (ofTLS) return `${ofTLS[1]}: ${code}`;
  if (code === 'ECONNREFUSED') return 'It refuses connections. Check that it runs, and its port';
  if (code === 'UND_ERR_SOCKET' || code === 'ECONNRESET') return 'It closed the connection';
  if (error instanceof errors.HTTPParserError) return 'It does not answer with HTTP';
  return `It cannot be reached: ${/^[A-Z_]+$/.test(code) ? code : 'unknown failure'}`;
}
