/** How the programs of an application connect by MQTT. The recorded API can only issue a certificate. */
import { only, organizationAdmins } from './access.ts';
import { ClientCertificate } from './client-certificate.ts';
import { get, ownOperationsOf, page, remove } from './operation.ts';
import { shortText } from './rules.ts';
import {
  bool,
  count,
  enumeration,
  int64,
  list,
  listOf,
  message,
  oneOf,
  text,
  timestamp,
  type ValueOf,
} from './wire.ts';

const MQTTTransport = enumeration('hilltop.MQTTTransport', ['TLS', 'TCP', 'WEBSOCKET']);

export const MQTTAddress = message('hilltop.MQTTAddress', {
  transport: oneOf(MQTTTransport),
  url: text({ label: 'Address', help: 'Such as mqtts://hilltop.example.org:8883.' }),
});

export const MQTTAccess = message('hilltop.MQTTAccess', {
  broker: oneOf(enumeration('hilltop.MQTTBroker', ['NONE', 'EMBEDDED', 'EXTERNAL'])),
  addresses: listOf(MQTTAddress),
  hasCertificates: bool({ help: 'Whether this server can issue client certificates.' }),
  eventTopic: text({ label: 'Events', help: 'The filter of all events of the application.' }),
  commandTopic: text({ label: 'Commands', help: 'Where downlinks are published; <devEUI> stands for the device.' }),
  subscribeLine: text({
    label: 'To try it',
    help: 'A command that shows all events, with the files of a certificate.',
  }),
  keyLine: text({ label: 'With an API key', help: 'The same with an API key as password.' }),
});
export type MQTTAccess = ValueOf<typeof MQTTAccess>;

export const MQTTClient = message('hilltop.MQTTClient', {
  id: text({ label: 'Connection', help: 'Another one after each connect.' }),
  clientID: text({ label: 'Client' }),
  transport: oneOf(MQTTTransport),
  address: text({ label: 'Address' }),
  signedInBy: text({ label: 'Signed in by', help: 'The serial number of a certificate, or the id of an API key.' }),
  connectedAt: timestamp({ label: 'Since' }),
  subscriptions: list(text()),
  delivered: count({ label: 'Delivered', help: 'Events since it connected.' }),
  dropped: count({ label: 'Dropped', help: 'Events it was too slow for.' }),
  commands: count({ label: 'Commands', help: 'Downlinks it has published.' }),
});
export type MQTTClient = ValueOf<typeof MQTTClient>;

const path = '/api/applications/{application_id}/integrations/mqtt';
const ofApplication = { applicationID: int64({ required: true }) } as const;
const access = only('application', 'applicationID', [...organizationAdmins, 'applicationKey']);

export const mqtt = ownOperationsOf('mqtt', {
  get: get(path, {
    summary: 'Get the addresses, topics and commands by which an application uses MQTT',
    request: message('hilltop.GetMQTTAccessRequest', ofApplication),
    response: MQTTAccess,
    access,
  }),
  listClients: get(`${path}/clients`, {
    summary: 'List the programs connected with a certificate or key of an application, the latest first',
    request: message('hilltop.ListMQTTClientsRequest', ofApplication),
    response: message('hilltop.ListMQTTClientsResponse', { totalCount: int64(), result: listOf(MQTTClient) }),
    access,
  }),
  disconnectClient: remove(`${path}/clients/{id}`, {
    summary: 'Disconnect one of these programs; it may connect again',
    request: message('hilltop.DisconnectMQTTClientRequest', {
      ...ofApplication,
      id: text({ ...shortText, required: true }),
    }),
    access,
  }),
  listCertificates: get(`${path}/certificates`, {
    summary: 'List the certificates of an application, the latest first',
    request: message('hilltop.ListMQTTCertificatesRequest', { ...ofApplication, ...page }),
    response: message('hilltop.ListMQTTCertificatesResponse', {
      totalCount: int64(),
      result: listOf(ClientCertificate),
    }),
    access,
  }),
  revokeCertificate: remove(`${path}/certificates/{serial}`, {
    summary: 'Revoke a certificate: clients that use it are disconnected and cannot connect with it again',
    request: message('hilltop.RevokeMQTTCertificateRequest', {
      ...ofApplication,
      serial: text({ ...shortText, required: true }),
    }),
    access,
  }),
});
