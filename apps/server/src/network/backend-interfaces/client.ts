import type { IncomingMessage } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import type { Count, JoinAnswer, JoinRequest, JoinServer } from '@hilltop/network-server';
import type { Logger } from 'pino';
import { KeyEnvelopeError, type KeyEnvelopes } from '../../key-envelopes.ts';
import { Agent as PlainAgent, request as plainRequest } from '../../node-http.ts';
import { envelopeOf, fromJoinRequest, JoinServerAnswer } from './messages.ts';

/** RX1 of a join-accept is 5 s after the request; collecting and sending take part of that. */
const usualTimeoutMs = 4000;
/** The most requests to one join server: requests to a dead one must not pile up. */
const mostAtOnce = 64;
const mostBytes = 64 * 1024;

/** Why the answer of an external join server is unusable, as a sentence. */
class Unusable extends Error {}

export interface ClosableJoinServer extends JoinServer {
  close: () => void;
}

/**
 * An external join server, called by LoRaWAN Backend Interfaces over HTTP. It never rejects: a refusal is an answer.
 */
export function joinServerElsewhere({
  url,
  tls = {},
  envelopes,
  log,
  count,
  timeoutMs = usualTimeoutMs,
}: {
  url: string;
  tls?: { ca?: Buffer; cert?: Buffer; key?: Buffer };
  envelopes: KeyEnvelopes;
  log: Logger;
  count: Count;
  timeoutMs?: number;
}): ClosableJoinServer {
  const address = new URL(url);
  const name = address.host;
  const isSecure = address.protocol === 'https:';
  const connections = { keepAlive: true, maxSockets: mostAtOnce };
  const agent = isSecure ? new SecureAgent({ ...connections, ...tls }) : new PlainAgent(connections);
  let atOnce = 0;
  let lastTransaction = Math.floor(Math.random() * 0x1_0000_0000);

  async function ask(request: JoinRequest): Promise<JoinAnswer> {
    if (atOnce >= mostAtOnce) throw new Unusable(`Too many requests wait for the join-server ${name}.`);
    atOnce += 1;
    try {
      lastTransaction = (lastTransaction + 1) >>> 0;
      const said = fromJoinRequest(request, lastTransaction);
      return understood(await post(JSON.stringify(said)), said, { name, envelopes });
    } finally {
      atOnce -= 1;
    }
  }

  async function post(body: string): Promise<unknown> {
    const signal = AbortSignal.timeout(timeoutMs);
    const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
    try {
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        const send = isSecure ? secureRequest : plainRequest;
        send(address, { method: 'POST', agent, headers, signal }, resolve).on('error', reject).end(body);
      });
      const text = await textOf(response, name);
      try {
        return JSON.parse(text) as unknown;
      } catch {
        throw new Unusable(`The join-server ${name} answered HTTP ${response.statusCode} without JSON.`);
      }
    } catch (error) {
      if (error instanceof Unusable) throw error;
      if (signal.aborted) throw new Unusable(`The join-server ${name} did not answer within ${timeoutMs / 1000} s.`);
      const { code } = error as NodeJS.ErrnoException;
      throw new Unusable(`The join-server ${name} cannot be reached (${code ?? 'the connection broke'}).`);
    }
  }

  return {
    join: async (request) => {
      try {
        const answer = await ask(request);
        count('join_servers_asked', { server: name, result: answer.result });
        return answer;
      } catch (error) {
        if (!(error instanceof Unusable || error instanceof KeyEnvelopeError)) throw error;
        count('join_servers_asked', { server: name, result: 'failed' });
        log.warn({ server: name, devEUI: request.devEUI, reason: error.message }, 'a join-server elsewhere failed');
        return { result: 'Other', description: error.message };
      }
    },
    close: () => agent.destroy(),
  };
}

/** The host of a join-server, and the keys that open its envelopes. */
interface JoinServerAsked {
  name: string;
  envelopes: KeyEnvelopes;
}

/** `name` is that of the join-server, for messages. */
async function textOf(response: IncomingMessage, name: string): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > mostBytes) throw new Unusable(`The join-server ${name} answered more than ${mostBytes / 1024} kB.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function understood(
  raw: unknown,
  asked: ReturnType<typeof fromJoinRequest>,
  { name, envelopes }: JoinServerAsked,
): JoinAnswer {
  const { data } = JoinServerAnswer.safeParse(raw);
  const isMeant =
    data?.TransactionID === asked.TransactionID && data.MessageType === asked.MessageType.replace('Req', 'Ans');
  if (!data || !isMeant) throw new Unusable(`The join-server ${name} answered something else than was asked.`);
  const { ResultCode: code, Description } = data.Result;
  if (code === 'Success') return accepted(data, { name, envelopes });
  const result = code === 'MICFailed' || code === 'UnknownDevEUI' ? code : 'Other';
  return { result, description: `The join-server ${name} refused: ${code}${Description ? `, ${Description}` : ''}.` };
}

function accepted(
  { PHYPayload, AppSKey, NwkSKey, ...keys }: JoinServerAnswer,
  { name, envelopes }: JoinServerAsked,
): JoinAnswer {
  const network = [keys.FNwkSIntKey ?? NwkSKey, keys.SNwkSIntKey ?? NwkSKey, keys.NwkSEncKey ?? NwkSKey];
  const [fNwkSIntKey, sNwkSIntKey, nwkSEncKey] = network.map((key) => key && envelopes.open(envelopeOf(key)));
  const phyPayload = Uint8Array.fromHex(PHYPayload ?? '');
  const isJoinAccept = [17, 33].includes(phyPayload.length) && phyPayload[0] === 0x20;
  if (!fNwkSIntKey || !sNwkSIntKey || !nwkSEncKey || !AppSKey || !isJoinAccept)
    throw new Unusable(`The join-server ${name} answered without join-accept or session keys.`);
  const appSKey = { kekLabel: '', aesKey: envelopes.open(envelopeOf(AppSKey)) };
  const session = { fNwkSIntKey, sNwkSIntKey, nwkSEncKey, appSKey };
  return { result: 'Success', phyPayload, clear: null, ...session, effects: [] };
}
