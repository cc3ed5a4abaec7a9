import { createHmac } from 'node:crypto';
import { type AzureServiceBusIntegration, type ServiceBusConnection, serviceBusConnectionOf } from '@hilltop/contract';
import { type EventType, eventMessages } from '../events/event.ts';
import { DeliveryError } from '../outgoing/delivery-error.ts';
import { encodeFormText } from './form-encoding.ts';
import type { IntegrationAdapter } from './integration.ts';
import type { Marshal } from './marshal.ts';
import { excerptOf, expectSuccess } from './outcome.ts';

const validSeconds = 300;
/** For larger messages a 403 means that the message is too large, otherwise that a quota is used up. */
const largeBytes = 192 * 1024;

/** Sends to a topic or queue of a Service Bus. */
export function azureServiceBus(marshal: Marshal): IntegrationAdapter<AzureServiceBusIntegration> {
  return {
    eventTypes: Object.keys(eventMessages) as EventType[],
    deliver: async (event, job) => {
      const { config, now, send } = job;
      const connection = serviceBusConnectionOf(config.connectionString);
      if (!connection) throw new DeliveryError('gone', 'The connection string cannot be read. Paste it again.');
      const { body, contentType } = await marshal(event, config.marshaler, job);
      const uri = `https://${connection.host}/${config.publishName}`;
      const expiry = Math.floor(now().getTime() / 1000) + validSeconds;
      const response = await send({
        method: 'POST',
        url: `${uri}/messages`,
        headers: [
          ['Content-Type', contentType],
          ['Authorization', sharedAccessSignature(uri, connection, expiry)],
          ['event', JSON.stringify(event.type)],
          ['application_id', String(event.applicationID)],
          ['dev_eui', JSON.stringify(event.devEUI)],
          ['BrokerProperties', JSON.stringify({ MessageId: event.id })],
        ],
        body,
        timeoutMs: 5000,
      });
      if (response.status === 403 && Buffer.byteLength(body) > largeBytes)
        throw new DeliveryError('event', 'The event is too large for this Service Bus (403).', {
          status: 403,
          excerpt: excerptOf(response),
        });
      expectSuccess(response, now());
    },
  };
}

/** A token that allows sending to the address until `expiry` (seconds since 1970). */
export function sharedAccessSignature(uri: string, { keyName, key }: ServiceBusConnection, expiry: number): string {
  const resource = encodeFormText(uri);
  const signature = createHmac('sha256', key).update(`${resource}\n${expiry}`).digest('base64');
  return `SharedAccessSignature sig=${encodeFormText(signature)}&se=${expiry}&skn=${encodeFormText(keyName)}&sr=${resource}`;
}
