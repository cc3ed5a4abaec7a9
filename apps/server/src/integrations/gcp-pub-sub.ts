import { type GCPPubSubIntegration, type ServiceAccount, serviceAccountOf } from '@hilltop/contract';
import { importPKCS8, SignJWT } from 'jose';
import type { LoggedEvent } from '../event-log/event-log.ts';
import { type EventType, eventMessages } from '../events/event.ts';
import { DeliveryError } from '../outgoing/delivery-error.ts';
import { encodeForm } from './form-encoding.ts';
import type { DeliveryJob, IntegrationAdapter } from './integration.ts';
import type { Marshal } from './marshal.ts';
import { expectSuccess } from './outcome.ts';

type PubSubJob = DeliveryJob<GCPPubSubIntegration>;

interface Token {
  readonly text: string;
  readonly expiresAtMs: number;
}

const timeoutMs = 5000;
const scope = 'https://www.googleapis.com/auth/pubsub';
const grant = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
/** A token that ends sooner is not used any more. */
const reserveMs = 300_000;

/** Publishes to a topic of Google Cloud, many events at once when there are. */
export function gcpPubSub(marshal: Marshal): IntegrationAdapter<GCPPubSubIntegration> {
  /** One for each configuration, and for as long as that is there. */
  const tokens = new WeakMap<GCPPubSubIntegration, Promise<Token>>();

  async function tokenFor(job: PubSubJob): Promise<string> {
    const { config } = job;
    let token = tokens.get(config);
    const known = await token?.catch(() => undefined);
    if (!token || !known || known.expiresAtMs - reserveMs < job.now().getTime()) {
      // Somebody else may have asked while this one waited.
      if (tokens.get(config) === token) tokens.set(config, requestToken(job));
      token = tokens.get(config)!;
    }
    return (await token).text;
  }

  async function publish(events: readonly LoggedEvent[], job: PubSubJob): Promise<void> {
    const { projectID, topicName, marshaler } = job.config;
    const topic = `projects/${encodeURIComponent(projectID)}/topics/${encodeURIComponent(topicName)}`;
    const messages = await Promise.all(
      events.map(async (event) => ({
        attributes: { devEUI: event.devEUI, event: event.type, eventID: event.id },
        data: Buffer.from((await marshal(event, marshaler, job)).body as Uint8Array).toString('base64'),
      })),
    );
    const body = JSON.stringify({ messages });
    let token = '';
    const send = async () => {
      token = await tokenFor(job);
      return job.send({
        method: 'POST',
        url: `https://pubsub.googleapis.com/v1/${topic}:publish`,
        headers: [
          ['Content-Type', 'application/json'],
          ['Authorization', `Bearer ${token}`],
        ],
        body,
        timeoutMs,
        redact: [token],
      });
    };
    let answer = await send();
    if (answer.status === 401) {
      if (token === (await tokenFor(job))) tokens.delete(job.config);
      answer = await send();
    }
    expectSuccess(answer, job.now());
  }

  return {
    eventTypes: Object.keys(eventMessages) as EventType[],
    deliver: (event, job) => publish([event], job),
    deliverBatch: { maxEvents: 100, deliver: publish },
  };
}

/** RFC 7523 section 2.1: what the account signs is exchanged for a token. */
async function requestToken(job: PubSubJob): Promise<Token> {
  const account = serviceAccountOf(job.config.credentialsFile);
  const nowMs = job.now().getTime();
  const assertion = account && (await signed(account, Math.floor(nowMs / 1000)).catch(() => undefined));
  if (!account || !assertion)
    throw new DeliveryError('gone', 'The key of the service-account cannot be used. Paste its JSON file again.');
  const answer = await job.send({
    method: 'POST',
    url: account.tokenURL,
    headers: [['Content-Type', 'application/x-www-form-urlencoded']],
    body: encodeForm([
      ['grant_type', grant],
      ['assertion', assertion],
    ]),
    timeoutMs,
    redact: 'all',
  });
  const { status } = answer;
  if (status === 400 || status === 401 || status === 403)
    throw new DeliveryError('endpoint', `Google does not accept the service-account (${status}). Check its key.`, {
      status,
    });
  expectSuccess(answer, job.now());
  const { access_token: text, expires_in: seconds } = read(answer.body);
  if (typeof text !== 'string' || typeof seconds !== 'number')
    throw new DeliveryError('endpoint', 'Google answered without a token.', { status });
  return { text, expiresAtMs: nowMs + seconds * 1000 };
}

async function signed({ email, privateKey, keyID, tokenURL }: ServiceAccount, now: number): Promise<string> {
  return new SignJWT({ scope })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', ...(keyID !== undefined && { kid: keyID }) })
    .setIssuer(email)
    .setAudience(tokenURL)
    .setIssuedAt(now)
    .setExpirationTime(now + 3600)
    .sign(await importPKCS8(privateKey, 'RS256'));
}

function read(body: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    const json: unknown = JSON.parse(Buffer.from(body).toString('utf8'));
    return typeof json === 'object' && json !== null ? (json as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
