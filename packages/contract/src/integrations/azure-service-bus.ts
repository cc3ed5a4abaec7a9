import { message, text, type ValueOf } from '../wire.ts';
import { applicationID, marshaler, oneLine } from './fields.ts';
import { kindOf } from './kind.ts';

export const AzureServiceBusIntegration = message('api.AzureServiceBusIntegration', {
  applicationID,
  marshaler,
  connectionString: text({
    ...oneLine,
    label: 'Azure Service Bus connection string',
    help: 'Of a shared access policy that may send, such as Endpoint=sb://…;SharedAccessKeyName=…;SharedAccessKey=…',
    required: true,
    secret: true,
    maxLength: 2000,
  }),
  publishName: text({
    label: 'Azure Service Bus topic or queue name',
    required: true,
    maxLength: 300,
    pattern: '^[\\w.\\-]([\\w.\\-\\/]*[\\w.\\-])?$',
    message: 'A name only has letters, digits, dots, dashes, underscores and slashes within.',
  }),
});
export type AzureServiceBusIntegration = ValueOf<typeof AzureServiceBusIntegration>;

export interface ServiceBusConnection {
  readonly host: string;
  readonly keyName: string;
  /** As text; it is not decoded. */
  readonly key: string;
}

/** The parts of a connection string; undefined when one is missing. */
export function serviceBusConnectionOf(connectionString: string): ServiceBusConnection | undefined {
  const parts = connectionString
    .split(';')
    .map((part) => /^\s*(\w+)=(.*?)\s*$/s.exec(part))
    .filter((part) => part !== null)
    .map(([, name, value]) => [name!.toLowerCase(), value!] as const);
  const given = new Map(parts);
  const host = /^sb:\/\/([a-z0-9.-]+)\/?$/i.exec(given.get('endpoint') ?? '')?.[1]?.toLowerCase();
  const [keyName, key] = [given.get('sharedaccesskeyname'), given.get('sharedaccesskey')];
  return host && keyName && key ? { host, keyName, key } : undefined;
}

/** The domains of the service buses of Azure and its national clouds. */
const hosts = /\.servicebus\.(windows\.net|azure\.(cn|us)|chinacloudapi\.cn|usgovcloudapi\.net)$/;

export const azureServiceBus = kindOf({
  kind: 'AZURE_SERVICE_BUS',
  path: 'azure-service-bus',
  rpc: 'AzureServiceBus',
  label: 'Azure Service Bus',
  sentence: 'Publishes events to a topic or queue of Azure Service Bus.',
  config: AzureServiceBusIntegration,
  problemsOf({ connectionString }) {
    const connection = serviceBusConnectionOf(connectionString);
    if (connection && hosts.test(connection.host)) return [];
    const description = connection
      ? 'The host must be an Azure Service Bus host, such as example.servicebus.windows.net.'
      : 'This is not a connection string: it needs Endpoint=sb://…, SharedAccessKeyName and SharedAccessKey.';
    return [{ field: 'connectionString', description }];
  },
});
