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
      const { body: content } = await marshal(event, config.marshaler, job);
      const message = typeof content === 'string' ? content : Buffer.from(content).toString('base64');
      const body = encodeForm(publishRequest(event, config, message));
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
      const response = await send({ method: 'POST', url, headers: [...headers], body, timeoutMs: 10_000 });
      throwIfEndpointFailed(response);
      expectSuccess(response, now());
    },
  };
}

function publishRequest(
  { id, type, devEUI, applicationID }: LoggedEvent,
  { topicARN }: AWSSNSIntegration,
  message: string,
): (readonly [string, string])[] {
  const attributes = { event: type, dev_eui: devEUI, application_id: String(applicationID), event_id: id };
  const isFifo = topicARN.endsWith('.fifo');
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
    ...(isFifo
      ? ([
          ['MessageGroupId', devEUI],
          ['MessageDeduplicationId', id],
        ] as const)
      : []),
  ];
}

/** SNS also responds with 400 when the event is not at fault, for example when it throttles or a clock is wrong. */
function throwIfEndpointFailed(response: HttpResponse): void {
  const { status } = response;
  if (status !== 400) return;
  const excerpt = excerptOf(response);
  const code = /<Code>(\w+)<\/Code>/.exec(excerpt)?.[1] ?? '';
  if (/^(Invalid|Validation)/.test(code)) return;
  throw new DeliveryError('endpoint', `SNS refused the request: ${code || 'no code'} (400).`, { status, excerpt });
}
