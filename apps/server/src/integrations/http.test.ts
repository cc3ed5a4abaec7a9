import assert from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { type EventType, eventMessages } from '../events/event.ts';
import { DeliveryError } from '../outgoing/delivery-error.ts';
import { sampleIntegrations } from '../testing/integrations.ts';
import { loggedEvent } from '../testing/logged-events.ts';
import { type Received, startSink } from '../testing/sink.ts';
import { type HTTPConfig, http } from './http.ts';
import { createMarshal } from './marshal.ts';

const { eventTypes, deliver } = http(createMarshal({ withEventID: false }));
const config = (change: Partial<HTTPConfig> = {}): HTTPConfig => ({
  applicationID: '7',
  ...sampleIntegrations.HTTP,
  headers: [],
  ...change,
});
const types = Object.keys(eventMessages) as EventType[];
const placeOf = ({ headers, path }: Received) => `${headers.host}${path}`;

describe('HTTP', () => {
  it('takes every event', () => assert.deepEqual([...eventTypes].sort(), [...types].sort()));

  for (const type of types)
    it(`posts ${type} to the addresses for all events`, async () => {
      await using sink = await startSink();
      const headers = [{ key: 'X-Token', value: 's3cret' }];
      await deliver(loggedEvent(type), sink.job(config({ headers })));
      const [{ method, body, headers: sent, ...one }] = sink.received as [Received];
      assert.deepEqual(
        [method, placeOf({ method, body, headers: sent, ...one })],
        ['POST', `sink.example.org/hook?event=${type}&site=a`],
      );
      assert.equal(sent['content-type'], 'application/json');
      assert.equal(sent['x-token'], 's3cret');
      assert.equal(body.toString(), loggedEvent(type).json);
    });

  it('says which event it is, and which try', async () => {
    await using sink = await startSink();
    const event = loggedEvent('up');
    await deliver(event, sink.job(config(), { attempt: 3, replayID: 'a-replay' }));
    const { headers } = sink.received[0]!;
    assert.equal(headers['webhook-id'], event.id);
    assert.equal(headers['webhook-timestamp'], '1677665732');
    assert.equal(headers['hilltop-attempt'], '3');
    assert.equal(headers['hilltop-replay'], 'a-replay');
    assert.equal(headers['webhook-signature'], undefined);
  });

  for (const marshaler of ['JSON', 'PROTOBUF', 'JSON_V3'] as const)
    it(`signs what it sends as Standard Webhooks has it, in ${marshaler}`, async () => {
      await using sink = await startSink();
      const key = randomBytes(32);
      const signingSecret = `whsec_${key.toString('base64')}`;
      await deliver(loggedEvent('up'), sink.job(config({ marshaler, signingSecret })));
      const { headers, body } = sink.received[0]!;
      const before = ['webhook-id', 'webhook-timestamp'].map((name) => `${String(headers[name])}.`).join('');
      const signed = Buffer.concat([Buffer.from(before), body]);
      assert.equal(headers['webhook-signature'], `v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
    });

  it('lets headers of the owner replace its own', async () => {
    await using sink = await startSink();
    const headers = [{ key: 'content-type', value: 'text/plain' }];
    await deliver(loggedEvent('ack'), sink.job(config({ headers, marshaler: 'PROTOBUF' })));
    assert.equal(sink.received[0]!.headers['content-type'], 'text/plain');
  });

  const legacy = {
    up: 'uplinkDataURL',
    join: 'joinNotificationURL',
    ack: 'ackNotificationURL',
    error: 'errorNotificationURL',
    status: 'statusNotificationURL',
    location: 'locationNotificationURL',
    txack: 'txAckNotificationURL',
    integration: 'integrationNotificationURL',
  } as const;
  for (const type of types)
    it(`posts ${type} to its own addresses when there are some`, async () => {
      await using sink = await startSink();
      const own = 'https://one.example.org/x?z=1&a=b%20c&z=0,http://two.example.org:81';
      await deliver(loggedEvent(type), sink.job(config({ [legacy[type]]: own })));
      const path = `/x?a=b+c&event=${type}&z=1&z=0`;
      assert.deepEqual(sink.received.map(placeOf), [`one.example.org${path}`, `two.example.org:81/?event=${type}`]);
      await deliver(loggedEvent(type === 'up' ? 'ack' : 'up'), sink.job(config({ [legacy[type]]: own })));
      assert.match(placeOf(sink.received[2]!), /^sink\.example\.org/);
    });

  it('tries all addresses, and only those again that failed', async () => {
    await using sink = await startSink();
    const job = sink.job(config({ eventEndpointURL: 'http://a.example,http://b.example,http://c.example' }));
    const answers: Record<string, number> = { 'a.example': 400, 'b.example': 200, 'c.example': 503 };
    sink.reply = ({ headers }) => ({ status: answers[headers.host!]! });
    await assert.rejects(deliver(loggedEvent('up'), job), { fault: 'endpoint', status: 503 });
    answers['c.example'] = 204;
    await assert.rejects(deliver(loggedEvent('up'), job), { fault: 'event', status: 400 });
    answers['a.example'] = 299;
    await deliver(loggedEvent('up'), job);
    const hosts = sink.received.map(({ headers }) => headers.host!.slice(0, 1)).join('');
    assert.equal(hosts, 'abcaca');
  });

  it('has nowhere to send to without an address', async () => {
    await using sink = await startSink();
    await deliver(loggedEvent('up'), sink.job(config({ eventEndpointURL: '' })));
    assert.deepEqual(sink.received, []);
  });

  it('says whose fault an answer is', async () => {
    await using sink = await startSink();
    for (const [status, fault] of [
      [301, 'endpoint'],
      [401, 'endpoint'],
      [404, 'endpoint'],
      [410, 'gone'],
      [413, 'event'],
      [422, 'event'],
      [429, 'endpoint'],
      [500, 'endpoint'],
    ] as const) {
      sink.reply = () => ({ status, body: 'no' });
      await assert.rejects(deliver(loggedEvent('up'), sink.job(config())), (error) => {
        assert.ok(error instanceof DeliveryError);
        assert.deepEqual([error.fault, error.status, error.excerpt], [fault, status, 'no']);
        return true;
      });
    }
  });
});
