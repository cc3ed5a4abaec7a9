/** Integrations that sign requests: their test servers verify the signature with their own keys, as the clouds do. */
import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import { fromBinary } from '@hilltop/protobuf';
import { importSPKI, jwtVerify } from 'jose';
import { eventMessages } from '../events/event.ts';
import { sampleIntegrations, serviceAccountKeys } from '../testing/integrations.ts';
import { loggedEvent } from '../testing/logged-events.ts';
import { type Received, type Sink, sinkTime, startSink } from '../testing/sink.ts';
import { awsSNS } from './aws-sns.ts';
import { azureServiceBus, sharedAccessSignature } from './azure-service-bus.ts';
import { gcpPubSub } from './gcp-pub-sub.ts';
import { createMarshal } from './marshal.ts';

const marshal = createMarshal({ withEventID: false });
const applicationID = '7';
const eventID = '0a1b2c3d4e5f6071-1677665730125-42';

describe('AWS SNS', () => {
  const { deliver } = awsSNS(marshal);
  const config = { applicationID, ...sampleIntegrations.AWS_SNS };
  const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
  const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex');

  /** Verifies Signature Version 4 as the receiver does. */
  function isSigned({ method, path, headers, body }: Received, secret: string): boolean {
    const [, scope, names = '', signature] =
      /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
        headers.authorization ?? '',
      ) ?? [];
    assert.equal(scope, '20230301/eu-west-1/sns/aws4_request');
    assert.ok(names.split(';').includes('host') && names.split(';').includes('x-amz-date'));
    const signed = names.split(';').map((name) => `${name}:${String(headers[name])}\n`);
    const canonical = [method, path, '', signed.join(''), names, sha256(body)].join('\n');
    const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(canonical)].join('\n');
    const key = ['20230301', 'eu-west-1', 'sns', 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${secret}`);
    return hmac(key, text).toString('hex') === signature;
  }

  const formIn = ({ body }: Received) => Object.fromEntries(new URLSearchParams(body.toString()));

  it('gets a signed request with the four attributes', async () => {
    await using sink = await startSink();
    await deliver(loggedEvent('ack'), sink.job({ ...config, marshaler: 'PROTOBUF' }));
    const [one] = sink.received as [Received];
    assert.equal(one.headers.host, 'sns.eu-west-1.amazonaws.com');
    assert.equal(one.headers['content-type'], 'application/x-www-form-urlencoded; charset=utf-8');
    assert.ok(isSigned(one, config.secretAccessKey));
    assert.ok(!isSigned(one, 'another secret'));
    const attribute = (index: number, name: string, value: string) => ({
      [`MessageAttributes.entry.${index}.Name`]: name,
      [`MessageAttributes.entry.${index}.Value.DataType`]: 'String',
      [`MessageAttributes.entry.${index}.Value.StringValue`]: value,
    });
    assert.deepEqual(formIn(one), {
      Action: 'Publish',
      Version: '2010-03-31',
      TopicArn: config.topicARN,
      Message: 'CAcSCmdyZWVuaG91c2UaBnNvaWwtMSIIChssPU5fYHEoATAMOg0KBHNpdGUSBW5vcnRoQgsIwsv8nwYQgJTvOg==',
      ...attribute(1, 'event', 'ack'),
      ...attribute(2, 'dev_eui', '0a1b2c3d4e5f6071'),
      ...attribute(3, 'application_id', '7'),
      ...attribute(4, 'event_id', eventID),
    });
    await deliver(loggedEvent('up'), sink.job(config));
    assert.ok(isSigned(sink.received[1]!, config.secretAccessKey));
    assert.equal(formIn(sink.received[1]!)['Message'], loggedEvent('up').json);
  });

  it('groups the messages of a device in FIFO topics', async () => {
    await using sink = await startSink();
    await deliver(loggedEvent('up'), sink.job({ ...config, topicARN: `${config.topicARN}.fifo` }));
    const { MessageGroupId, MessageDeduplicationId } = formIn(sink.received[0]!);
    assert.deepEqual([MessageGroupId, MessageDeduplicationId], ['0a1b2c3d4e5f6071', eventID]);
  });

  it('uses another domain in China', async () => {
    await using sink = await startSink();
    await deliver(loggedEvent('up'), sink.job({ ...config, region: 'cn-north-1' }));
    assert.equal(sink.received[0]!.headers.host, 'sns.cn-north-1.amazonaws.com.cn');
  });

  for (const [status, code, fault] of [
    [400, 'Throttling', 'endpoint'],
    [400, 'InvalidParameter', 'event'],
    [403, 'AuthorizationError', 'endpoint'],
    [404, 'NotFound', 'endpoint'],
    [500, 'InternalError', 'endpoint'],
  ] as const)
    it(`blames the ${fault} for ${code}`, async () => {
      await using sink = await startSink();
      const body = `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code></Error></ErrorResponse>`;
      sink.reply = () => ({ status, body });
      await assert.rejects(deliver(loggedEvent('up'), sink.job(config)), { fault, status });
    });
});

describe('Azure Service Bus', () => {
  const { deliver } = azureServiceBus(marshal);
  const config = { applicationID, ...sampleIntegrations.AZURE_SERVICE_BUS };

  it('gets the recorded signature', () => {
    const connection = { host: 'acme.servicebus.windows.net', keyName: 'send', key: 'a2V5LW1hdGVyaWFs' };
    assert.equal(
      sharedAccessSignature('https://acme.servicebus.windows.net/lora-events', connection, 1700000300),
      'SharedAccessSignature sig=IDbqqHUKfsz1IbXJ2BLdr6bDAKi6WXoBzsBUuvhQy10%3D&se=1700000300&skn=send&sr=https%3A%2F%2Facme.servicebus.windows.net%2Flora-events',
    );
  });

  it('gets events with their properties, signed for five minutes', async () => {
    await using sink = await startSink();
    sink.reply = () => ({ status: 201 });
    await deliver(loggedEvent('ack'), sink.job(config));
    await deliver(loggedEvent('ack'), sink.job({ ...config, marshaler: 'PROTOBUF' }));
    const [{ method, path, headers, body }, second] = sink.received as [Received, Received];
    assert.equal(`${method} ${headers.host}${path}`, 'POST acme.servicebus.windows.net/lora-events/messages');
    assert.equal(body.toString(), loggedEvent('ack').json);
    assert.equal(headers['content-type'], 'application/json');
    assert.equal(second.headers['content-type'], 'application/octet-stream');
    assert.equal(fromBinary(eventMessages.ack, second.body).fCnt, 12);
    assert.equal(headers['event'], '"ack"');
    assert.equal(headers['application_id'], '7');
    assert.equal(headers['dev_eui'], '"0a1b2c3d4e5f6071"');
    assert.equal(headers['brokerproperties'], `{"MessageId":"${eventID}"}`);
    const given = new URLSearchParams(headers.authorization!.replace('SharedAccessSignature ', ''));
    assert.equal(Number(given.get('se')), sinkTime.getTime() / 1000 + 300);
    const text = `${encodeURIComponent(given.get('sr')!)}\n${given.get('se')}`;
    assert.equal(given.get('sig'), createHmac('sha256', 'canary-azure-key=').update(text).digest('base64'));
  });

  it('blames the event for a 403 only when it is large', async () => {
    await using sink = await startSink();
    sink.reply = () => ({ status: 403 });
    await assert.rejects(deliver(loggedEvent('up'), sink.job(config)), { fault: 'endpoint' });
    const large = loggedEvent('up', { objectJSON: JSON.stringify('x'.repeat(200_000)) });
    await assert.rejects(deliver(large, sink.job(config)), { fault: 'event' });
    sink.reply = () => ({ status: 410 });
    await assert.rejects(deliver(loggedEvent('up'), sink.job(config)), { fault: 'gone' });
  });
});

describe('GCP Pub/Sub', () => {
  const sample = { applicationID, ...sampleIntegrations.GCP_PUBSUB };
  const tokenPath = '/token';

  /** Google: issues tokens for signed assertions, and accepts messages with these tokens. */
  function actAsGoogle(sink: Sink, lifeSeconds = 3600) {
    const given: string[] = [];
    sink.reply = ({ path, headers }) => {
      if (path === tokenPath) {
        given.push(`token-${given.length + 1}`);
        return { status: 200, body: { access_token: given.at(-1), expires_in: lifeSeconds, token_type: 'Bearer' } };
      }
      return { status: headers.authorization === `Bearer ${given.at(-1)}` ? 200 : 401, body: {} };
    };
    return given;
  }

  it('gets a signed assertion, then messages', async () => {
    await using sink = await startSink();
    actAsGoogle(sink);
    const { deliver } = gcpPubSub(marshal);
    await deliver(loggedEvent('ack'), sink.job({ ...sample, projectID: 'a/b' }));
    const [token, publish] = sink.received as [Received, Received];
    assert.equal(token.headers.host, 'oauth2.googleapis.com');
    const form = new URLSearchParams(token.body.toString());
    assert.equal(form.get('grant_type'), 'urn:ietf:params:oauth:grant-type:jwt-bearer');
    const key = await importSPKI(serviceAccountKeys.publicKey, 'RS256');
    const { payload, protectedHeader } = await jwtVerify(form.get('assertion')!, key, {
      issuer: 'hilltop@acme.iam.gserviceaccount.com',
      audience: 'https://oauth2.googleapis.com/token',
      currentDate: sinkTime,
    });
    assert.equal(payload['scope'], 'https://www.googleapis.com/auth/pubsub');
    assert.equal(payload.exp, sinkTime.getTime() / 1000 + 3600);
    assert.equal(protectedHeader.kid, 'canary-gcp');
    assert.equal(publish.headers.host, 'pubsub.googleapis.com');
    assert.equal(publish.path, '/v1/projects/a%2Fb/topics/lora-events:publish');
    assert.equal(publish.headers.authorization, 'Bearer token-1');
    const data = Buffer.from(loggedEvent('ack').json).toString('base64');
    assert.equal(
      publish.body.toString(),
      `{"messages":[{"attributes":{"devEUI":"0a1b2c3d4e5f6071","event":"ack","eventID":"${eventID}"},"data":"${data}"}]}`,
    );
  });

  it('shares a token until five minutes before it expires', async () => {
    await using sink = await startSink();
    const given = actAsGoogle(sink);
    const { deliver } = gcpPubSub(marshal);
    const config = { ...sample };
    let at = sinkTime.getTime();
    const deliverNow = () => deliver(loggedEvent('ack'), sink.job(config, { now: () => new Date(at) }));
    await Promise.all(Array.from({ length: 8 }, deliverNow));
    at += 3299_000;
    await deliverNow();
    assert.equal(given.length, 1);
    at += 2000;
    await Promise.all(Array.from({ length: 8 }, deliverNow));
    assert.equal(given.length, 2);
  });

  it('requests another token once after a 401', async () => {
    await using sink = await startSink();
    const given = actAsGoogle(sink);
    const { deliver } = gcpPubSub(marshal);
    const job = sink.job({ ...sample });
    await deliver(loggedEvent('ack'), job);
    given.push('somebody revoked the first');
    await deliver(loggedEvent('ack'), job);
    const tokens = () => sink.received.filter(({ path }) => path === tokenPath).length;
    assert.equal(tokens(), 2);
    const usual = sink.reply;
    sink.reply = (request) => (request.path === tokenPath ? usual(request) : { status: 401 });
    await assert.rejects(deliver(loggedEvent('ack'), job), { fault: 'endpoint', status: 401 });
    assert.equal(tokens(), 3);
  });

  it('gets several events in a request', async () => {
    await using sink = await startSink();
    actAsGoogle(sink);
    const { deliverBatch } = gcpPubSub(marshal);
    await deliverBatch!.deliver([loggedEvent('up'), loggedEvent('join')], sink.job({ ...sample }));
    const { messages } = JSON.parse(sink.received[1]!.body.toString()) as { messages: { attributes: object }[] };
    assert.deepEqual(
      messages.map(({ attributes }) => (attributes as { event: string }).event),
      ['up', 'join'],
    );
  });

  it('redacts the assertion and the token, and reports an unusable key', async () => {
    await using sink = await startSink();
    actAsGoogle(sink);
    const redacted: unknown[] = [];
    const { deliver } = gcpPubSub(marshal);
    const send = (request: Parameters<Sink['send']>[0]) => {
      redacted.push(request.redact);
      return sink.send(request);
    };
    await deliver(loggedEvent('ack'), sink.job({ ...sample }, { send }));
    assert.deepEqual(redacted, ['all', ['token-1']]);
    const broken = sample.credentialsFile.replace(/BEGIN PRIVATE KEY-----.{20}/, 'BEGIN PRIVATE KEY-----broken');
    await assert.rejects(deliver(loggedEvent('ack'), sink.job({ ...sample, credentialsFile: broken })), {
      fault: 'gone',
    });
    sink.reply = () => ({ status: 400, body: { error: 'invalid_grant' } });
    await assert.rejects(deliver(loggedEvent('ack'), sink.job({ ...sample })), { fault: 'endpoint', status: 400 });
  });
});
