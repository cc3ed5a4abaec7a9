import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { systemClock } from '../clock.ts';
import { DeliveryError } from '../outgoing/delivery-error.ts';
import type { HttpResponse, OutgoingRequest } from '../outgoing/outgoing-request.ts';
import { loggedEvent } from '../testing/logged-events.ts';
import { type AnyAdapter, createAttempt } from './attempt.ts';

const request = (change: Partial<OutgoingRequest>): OutgoingRequest => ({
  method: 'POST',
  url: 'https://example.org/path/canary-word?token=canary-query',
  headers: [['Authorization', 'canary-header']],
  body: 'body of canary-word and canary-config',
  timeoutMs: 1000,
  ...change,
});

/** What users see of one delivery. The endpoint gives the answers in order; an error means no response. */
async function shown(requests: readonly OutgoingRequest[], answers: readonly (string | Error)[]) {
  const remaining = [...answers];
  const attempt = createAttempt({
    http: {
      send: async (): Promise<HttpResponse> => {
        const next = remaining.shift();
        if (next instanceof Error) throw next;
        return { status: 200, headers: {}, body: Buffer.from(next ?? '') };
      },
    },
    clock: systemClock,
    lookups: { gatewayNames: async () => new Map(), variables: async () => ({}) },
  });
  const kind: AnyAdapter = {
    eventTypes: ['up'],
    deliver: async (_event, job) => {
      for (const outgoing of requests) await job.send(outgoing);
    },
  };
  const configured = {
    id: 1,
    applicationID: 7,
    kind: 'HTTP',
    revision: 1,
    config: { secret: 'canary-config' },
  };
  const tried = await attempt({
    integration: configured,
    adapter: kind,
    events: [loggedEvent('up')],
    attempt: 1,
    doneParts: [],
  });
  return { sent: tried.sent, excerpt: tried.excerpt, message: tried.error?.message };
}

describe('what users see of a delivery', () => {
  it('contains neither headers, query, configured values nor the secrets of a request', async () => {
    const { sent, excerpt } = await shown([request({ redact: ['canary-word'] })], ['it said canary-word']);
    assert.equal(sent, 'POST https://example.org/path/•••  body of ••• and •••');
    assert.equal(excerpt, 'it said •••');
  });

  it('contains only the URL of a request that is redacted as a whole', async () => {
    const { sent, excerpt } = await shown([request({ redact: 'all', url: 'https://example.org/token' })], ['canary']);
    assert.deepEqual([sent, excerpt], ['POST https://example.org/token', '']);
  });

  it('contains only the response to the last request', async () => {
    const away = new DeliveryError('endpoint', 'It refuses connections');
    const requests = [request({ redact: 'all' }), request({ redact: ['canary-word'] })];
    const { excerpt, message } = await shown(requests, ['canary-token', away]);
    assert.deepEqual([excerpt, message], ['', 'It refuses connections']);
    const earlier = await shown([request({}), request({})], ['the first said this', away]);
    assert.equal(earlier.excerpt, '');
  });
});
