import { type AuditSubjectKind, auditEvents, auditSubjects } from '@hilltop/contract/audit';

const spaced = (words: string) =>
  words
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]{2,})([A-Z][a-z])/g, '$1 $2')
    .split(' ')
    .map((word) => (/^[A-Z]{2,}/.test(word) ? word : word.toLowerCase()))
    .join(' ');

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

const integrations: Readonly<Record<string, string>> = {
  AWSSNS: 'AWS SNS',
  AzureServiceBus: 'Azure Service Bus',
  GCPPubSub: 'GCP Pub/Sub',
  InfluxDB: 'InfluxDB',
  LoRaCloud: 'LoRa Cloud',
  MyDevices: 'myDevices',
  PilotThings: 'Pilot Things',
  ThingsBoard: 'ThingsBoard',
};

const named: Readonly<Record<string, string>> = {
  'organization.addUser': 'Add organization user',
  'organization.updateUser': 'Update organization user',
  'organization.deleteUser': 'Delete organization user',
};

/** What was done, in words: `device.updateKeys` is "Update keys", `device.update` is "Update device". */
export function operationWords(operation: string): string {
  const event = (auditEvents as Readonly<Record<string, string>>)[operation];
  if (event !== undefined) return event;
  if (operation in named) return named[operation]!;
  const [, change = '', kind = ''] = /\.([a-z]+)(\w+)Integration$/.exec(operation) ?? [];
  if (kind in integrations) return `${capitalized(change)} ${integrations[kind]!} integration`;
  const [resource = '', verb = ''] = operation.split('.');
  const words = spaced(verb);
  if (words.includes(' ')) return capitalized(words);
  return capitalized(`${words} ${auditSubjects[resource as AuditSubjectKind] ?? spaced(resource)}`);
}
