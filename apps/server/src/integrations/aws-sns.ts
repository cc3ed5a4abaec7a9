import type { AWSSNSIntegration } from '@hilltop/contract';
import { AwsV4Signer } from 'aws4fetch';
import type { LoggedEvent } from '../event-log/event-log.ts';
import { type EventType, eventMessages } from '../events/event.ts';
import { DeliveryError } from '../outgoing/delivery-error.ts';
import type { HttpResponse } from '../outgoing/outgoing-request.ts';
import { encodeForm } from './form-encoding.ts';
import type { IntegrationAdapter } from './integration.ts';
import type { Marshal } from './marshal.ts';
import { excerptOf, expectSuccess } from './outcome.ts';

/** Publishes to a topic of the Simple Notification Service. */
export function awsSNS(marshal: Marshal): IntegrationAdapter<AWSSNSIntegration> {
  return {
    eventTypes: Object.keys(eventMessages) as EventType[],
    deliver: async (event, job) => {
      const { config, now, send } = job;
      const { body: written } = await marshal(event, config.marshaler, job);
      const message = typeof written === 'string' ? written : Buffer.from(written).toString('base64');
      const body = encodeForm(publication(event, config, message));
      const url = `https://sns.${config.region}.amazonaws.com${config.region.startsWith('cn-') ? '.cn' : ''}/`;
      const signer = new AwsV4Signer({
        method: 'POST',
        url,
        headers: { 'Content-Type': 'application/x-www-form-urlencoded; charset=utf-8' },
        body,
        accessKeyId: config.accessKeyID,
        secretAccessKey: config.secretAccessKey,
        service: 'sns',
        region: config.region,
        datetime: now()
          .toISOString()
          .replaceAll(/[:-]|\.\d+/g, ''),
      });
      const { headers } = await signer.sign();
      const answer = await send({ method: 'POST', url, headers: [...headers], body, timeoutMs: 10_000 });
      blameEndpoint(answer);
      expectSuccess(answer, now());
    },
  };
}

function publication(
  { id, type, devEUI, applicationID }: LoggedEvent,
  { topicARN }: AWSSNSIntegration,
  message: string,
): (readonly [string, string])[] {
  const attributes = { event: type, dev_eui: devEUI, application_id: String(applicationID), event_id: id };
  const inOrder = topicARN.endsWith('.fifo');
  return [
    ['Action', 'Publish'],
    ['Version', '2010-03-31'],
    ['TopicArn', topicARN],
    ['Message', message],
    ...Object.entries(attributes).flatMap(([name, value], index) => {
      const entry = `MessageAttributes.entry.${index + 1}`;
      return [
        [`${entry}.Name`, name],
        [`${entry}.Value.DataType`, 'String'],
        [`${entry}.Value.StringValue`, value],
      ] as const;
    }),
    ...(inOrder
      ? ([
          ['MessageGroupId', devEUI],
          ['MessageDeduplicationId', id],
        ] as const)
      : []),
  ];
}

/** SNS answers 400 for much that has nothing to do with the event, such as throttling or a clock that is wrong. */
function blameEndpoint(answer: HttpResponse): void {
  const { status } = answer;
  if (status !== 400) return;
  const excerpt = excerptOf(answer);
  const code = /<Code>(\w+)<\/Code>/.exec(excerpt)?.[1] ?? '';
  if (/^(Invalid|Validation)/.test(code)) return;
  throw new DeliveryError('endpoint', `SNS refused the request: ${code || 'no code'} (400).`, { status, excerpt });
}
