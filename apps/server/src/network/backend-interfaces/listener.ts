import { once } from 'node:events';
import type { IncomingMessage, ServerOptions, ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { FrameError } from '@hilltop/lorawan';
import type { Clock, JoinAnswer, JoinServer } from '@hilltop/network-server';
import type { Logger } from 'pino';
import { connectionBoundary } from '../../connections/boundary.ts';
import { namesOneHost } from '../../connections/hosts.ts';
import { listenForServers } from '../../connections/listen-for-servers.ts';
import type { Database } from '../../database/database.ts';
import type { KeyEnvelopes } from '../../key-envelopes.ts';
import type { Metrics } from '../../metrics.ts';
import { createServer } from '../../node-http.ts';
import { readPair, readPEM } from '../../pem-file.ts';
import type { Address } from '../../setting-schemas.ts';
import { StartError } from '../../start-error.ts';
import { devNonces } from './dev-nonces.ts';
import { type JoiningRequest, Request, toJoinRequest, written } from './messages.ts';
import type { JoinServerSettings } from './settings.ts';

export interface JoinServerListener {
  /** The bound port, also when port 0 was configured. */
  port: number;
  stop: () => Promise<void>;
}

interface JoinServerDependencies {
  config: Pick<JoinServerSettings, 'joinServerCA' | 'joinServerCert' | 'joinServerKey' | 'joinServerASLabel'>;
  database: Database;
  joinServer: JoinServer;
  clock: Clock;
  envelopes: KeyEnvelopes;
  metrics: Metrics;
  log: Logger;
}

interface ListenerAnswer {
  status: 200 | 400 | 413 | 500;
  body: object;
  /** For the metric. */
  type: string;
  result: string;
}

const mostBytes = 64 * 1024;
const timeouts: ServerOptions = { headersTimeout: 5_000, requestTimeout: 10_000, connectionsCheckingInterval: 2_000 };

/**
 * Serves the embedded join server to external network servers, by LoRaWAN Backend Interfaces with the answers of
 * version 3. With a CA, only clients with a certificate of it are answered. Throws StartError when the address or files
 * cannot be used.
 */
export async function startJoinServerListener(
  listen: Address,
  needs: JoinServerDependencies,
): Promise<JoinServerListener> {
  const { metrics, log } = needs;
  const boundary = connectionBoundary('join_server', { metrics, log });
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    readBody(request)
      .then((body) => {
        if (!namesOneHost(request.rawHeaders))
          return refusal(400, 'unreadable', 'The request names more than one host.');
        return body === null ? refusal(413, 'too large', 'The request is too large.') : respond(needs, body);
      })
      .catch((error: unknown) => {
        // The boundary counts it as an error of the connection.
        if (request.destroyed && !request.complete) throw error;
        log.error({ err: error }, 'the join-server failed');
        return refusal(500, 'failed', 'Something went wrong here.');
      })
      .then(({ status, body, type, result }) => {
        metrics.count('join_server_requests', { type, result });
        response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
      })
      .catch((error: unknown) => (request.complete ? boundary.end(request, 'handler', error) : request.destroy()));
  };
  const tls = await readTLS(needs.config);
  const server = tls ? createSecureServer({ ...timeouts, ...tls }, answer) : createServer(timeouts, answer);
  const port = await listenForServers(server, {
    listen,
    setting: 'HILLTOP_JOIN_SERVER',
    listener: 'join_server',
    boundary,
    metrics,
  });
  return {
    port,
    stop: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeIdleConnections();
      const late = setTimeout(() => server.closeAllConnections(), 2000);
      await closed;
      clearTimeout(late);
    },
  };
}

/** Null when the body is larger than any request can be. */
async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > mostBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** The answer to an invalid request, which has no sender to address. */
function refusal(status: ListenerAnswer['status'], result: string, Description: string): ListenerAnswer {
  return { status, type: 'none', result, body: { ResultCode: 'Other', Description } };
}

async function respond(needs: JoinServerDependencies, body: string): Promise<ListenerAnswer> {
  let raw: unknown;
  try {
    raw = JSON.parse(body);
  } catch {
    return refusal(400, 'unreadable', 'The body is not JSON.');
  }
  const { data: request } = Request.safeParse(raw);
  if (!request) return refusal(400, 'unreadable', 'This is no JoinReq, RejoinReq or HomeNSReq with all its members.');
  return request.MessageType === 'HomeNSReq' ? await homeNetwork(needs, request) : await join(needs, request);
}

async function join(needs: JoinServerDependencies, request: JoiningRequest): Promise<ListenerAnswer> {
  const { envelopes, config } = needs;
  const answer = await answerOf(needs, request);
  if (answer.result !== 'Success') {
    const { result, description } = answer;
    const isUnknown = result === 'KeysMissing' || result === 'UnknownDevEUI';
    return answerTo(request, isUnknown ? 400 : 200, isUnknown ? 'Other' : result, description);
  }
  const { fNwkSIntKey, sNwkSIntKey, nwkSEncKey, appSKey } = answer;
  const ofNetwork = (key: Uint8Array) => written(envelopes.seal(request.SenderID, key));
  const is11 = (Number.parseInt(request.DLSettings, 16) & 0x80) !== 0;
  const networkKeys = is11
    ? {
        FNwkSIntKey: ofNetwork(fNwkSIntKey),
        SNwkSIntKey: ofNetwork(sNwkSIntKey),
        NwkSEncKey: ofNetwork(nwkSEncKey),
      }
    : { NwkSKey: ofNetwork(fNwkSIntKey) };
  return answerTo(request, 200, 'Success', '', {
    PHYPayload: answer.phyPayload.toHex(),
    ...networkKeys,
    AppSKey: written(envelopes.seal(config.joinServerASLabel, appSKey.aesKey)),
  });
}

type Answered = JoinAnswer | { result: 'FrameReplayed'; description: string };

const replayed: Answered = {
  result: 'FrameReplayed',
  description:
    'The device used this DevNonce before, or a higher one: it repeats itself, or has forgotten its counter.',
};

/** A DevNonce is used up only when the MIC of its join-request is valid. */
async function answerOf(
  { joinServer, database, clock }: JoinServerDependencies,
  request: JoiningRequest,
): Promise<Answered> {
  try {
    const asked = toJoinRequest(request);
    const answer = await joinServer.join(asked);
    if (answer.result !== 'Success' || asked.joinType !== 'join') return answer;
    const nonces = devNonces(database);
    const isNew = (await nonces.isFresh(asked)) && (await nonces.use(asked, clock.now().getTime()));
    return isNew ? answer : replayed;
  } catch (error) {
    if (!(error instanceof FrameError || error instanceof RangeError)) throw error;
    return { result: 'Other', description: error.message };
  }
}

/** The variable `home_netid` of a device sets its home network. */
async function homeNetwork(
  { database }: JoinServerDependencies,
  request: Extract<Request, { MessageType: 'HomeNSReq' }>,
): Promise<ListenerAnswer> {
  const device = await database.query
    .selectFrom('device')
    .select('variables')
    .where('dev_eui', '=', request.DevEUI)
    .executeTakeFirst();
  if (!device) return answerTo(request, 400, 'UnknownDevEUI', 'There is no such device here.');
  const given = device.variables['home_netid'] ?? '';
  const HNetID = /^[0-9a-f]{6}$/i.test(given) ? given.toLowerCase() : '000000';
  return answerTo(request, 200, 'Success', '', { HNetID });
}

function answerTo(
  request: Request,
  status: ListenerAnswer['status'],
  result: string,
  description: string,
  more: object = {},
): ListenerAnswer {
  const { MessageType: type, SenderID, ReceiverID, TransactionID } = request;
  return {
    status,
    type,
    result,
    body: {
      ProtocolVersion: '1.0',
      SenderID: ReceiverID,
      ReceiverID: SenderID,
      TransactionID,
      MessageType: type.replace('Req', 'Ans'),
      VSExtension: {},
      Result: { ResultCode: result, Description: description },
      ...more,
    },
  };
}

async function readTLS({ joinServerCA, joinServerCert, joinServerKey }: JoinServerDependencies['config']) {
  const pair = await readPair(['HILLTOP_JOIN_SERVER_CERT', joinServerCert], ['HILLTOP_JOIN_SERVER_KEY', joinServerKey]);
  if (!pair && joinServerCA === '') return null;
  if (!pair)
    throw new StartError('HILLTOP_JOIN_SERVER_CERT and HILLTOP_JOIN_SERVER_KEY must both name a file for TLS.');
  if (joinServerCA === '') return pair;
  return {
    ...pair,
    ca: await readPEM('HILLTOP_JOIN_SERVER_CA', joinServerCA),
    requestCert: true,
    rejectUnauthorized: true,
  };
}
