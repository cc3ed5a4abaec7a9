import { admins, first, globally, only, organizationReaders } from './access.ts';
import { extended, get, including, operationsOf, page, post, put, remove, searchable, sortable } from './operation.ts';
import { pem, plainName } from './rules.ts';
import { bool, ifGiven, int64, listOf, message, needed, text, timestamp, uint32, type ValueOf } from './wire.ts';

const whileDiscovering = { field: 'gatewayDiscoveryEnabled', is: true } as const;
const keptKey = 'It is never shown again. Leave blank to keep the stored key. An empty certificate removes both.';

export const NetworkServer = message('api.NetworkServer', {
  id: int64({ label: 'Network-server ID' }),
  name: text({ ...plainName, label: 'Network-server name', help: 'A name for the network-server.' }),
  server: text({
    label: 'Network-server server',
    help: 'Host name and port of its API, such as localhost:8000.',
    required: true,
    maxLength: 255,
    pattern: '^(\\[[0-9a-fA-F:]+\\]|[^\\s:\\/\\[\\]]+):\\d{1,5}$|^embedded:[\\w\\-]+$',
    message: 'The server must be a host with a port, such as localhost:8000.',
  }),
  caCert: text({
    ...pem,
    label: 'CA certificate',
    help: 'PEM text. Leave blank to connect without TLS.',
  }),
  tlsCert: text({ ...pem, label: 'TLS certificate', help: 'PEM text. Leave blank to connect without TLS.' }),
  tlsKey: text({ ...pem, label: 'TLS key', help: `PEM text. ${keptKey}`, secret: true }),
  routingProfileCACert: text({
    ...pem,
    label: 'CA certificate',
    help: 'PEM text, for connections from the network-server to this server. Leave blank to connect without TLS.',
    proto: 'routing_profile_ca_cert',
  }),
  routingProfileTLSCert: text({
    ...pem,
    label: 'TLS certificate',
    help: 'PEM text, for connections from the network-server to this server. Leave blank to connect without TLS.',
  }),
  routingProfileTLSKey: text({ ...pem, label: 'TLS key', help: `PEM text. ${keptKey}`, secret: true }),
  gatewayDiscoveryEnabled: bool({
    label: 'Enable gateway discovery',
    help: 'Gateways send pings; the map shows which other gateways receive them.',
  }),
  gatewayDiscoveryInterval: uint32({
    label: 'Interval',
    help: 'How often each gateway sends a ping.',
    unit: 'per day',
    max: 86_400,
    requiredWhen: whileDiscovering,
  }),
  gatewayDiscoveryTXFrequency: uint32({
    label: 'TX frequency',
    help: 'The frequency the pings are sent on.',
    unit: 'Hz',
    form: { requiredWhen: whileDiscovering },
  }),
  gatewayDiscoveryDR: uint32({
    label: 'TX data-rate',
    help: 'The data-rate number the pings are sent with.',
    form: { requiredWhen: whileDiscovering, max: 15 },
  }),
});
export type NetworkServer = ValueOf<typeof NetworkServer>;

const RecordedListItem = message('api.NetworkServerListItem', {
  id: int64(),
  name: text(),
  server: text(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});
/** The counts are returned on request by `include=counts`. */
export const NetworkServerListItem = extended(RecordedListItem, {
  gatewayCount: [1000, ifGiven(uint32({ label: 'Gateways' }))],
  deviceCount: [1001, ifGiven(uint32({ label: 'Devices' }))],
});
export type NetworkServerListItem = ValueOf<typeof NetworkServerListItem>;

export const ADRAlgorithm = message('api.ADRAlgorithm', { id: text(), name: text() });
export type ADRAlgorithm = ValueOf<typeof ADRAlgorithm>;

const oneNetworkServer = { id: int64({ required: true }) } as const;

export const networkServer = operationsOf('networkServer', 'NetworkServerService', {
  list: get('/api/network-servers', {
    summary: 'List network-servers by name: those an organization uses, or all for administrators',
    request: searchable(
      including(
        sortable(
          message('api.ListNetworkServerRequest', { ...page, organizationID: int64() }),
          NetworkServerListItem,
          'id',
          'name',
          'server',
          'createdAt',
        ),
        'counts',
      ),
    ),
    response: message('api.ListNetworkServerResponse', { totalCount: int64(), result: listOf(NetworkServerListItem) }),
    access: first(
      { when: 'organizationID', on: 'organization', of: 'organizationID', allow: organizationReaders },
      { on: 'global', allow: admins },
    ),
  }),
  get: get('/api/network-servers/{id}', {
    summary: 'Get a network-server, with its region and version when it can be reached',
    request: message('api.GetNetworkServerRequest', oneNetworkServer),
    response: message('api.GetNetworkServerResponse', {
      networkServer: needed(NetworkServer),
      createdAt: timestamp(),
      updatedAt: timestamp(),
      version: text(),
      region: text(),
    }),
    access: only('networkServer', 'id', [...admins, 'organizationAdmin', 'gatewayAdmin', 'organizationKey']),
  }),
  create: post('/api/network-servers', {
    summary: 'Register a network-server',
    request: message('api.CreateNetworkServerRequest', { networkServer: needed(NetworkServer) }),
    response: message('api.CreateNetworkServerResponse', { id: int64() }),
    access: globally(...admins),
  }),
  update: put('/api/network-servers/{network_server.id}', {
    summary: 'Update a network-server',
    request: message('api.UpdateNetworkServerRequest', { networkServer: needed(NetworkServer) }),
    access: only('networkServer', 'networkServer.id', admins),
  }),
  delete: remove('/api/network-servers/{id}', {
    summary: 'Delete a network-server that nothing uses',
    request: message('api.DeleteNetworkServerRequest', oneNetworkServer),
    access: only('networkServer', 'id', admins),
  }),
  getADRAlgorithms: get('/api/network-servers/{network_server_id}/adr-algorithms', {
    summary: 'List the adaptive data-rate algorithms of a network-server',
    request: message('api.GetADRAlgorithmsRequest', { networkServerId: int64({ required: true }) }),
    response: message('api.GetADRAlgorithmsResponse', { adrAlgorithms: listOf(ADRAlgorithm) }),
    access: only('networkServer', 'networkServerId', organizationReaders),
  }),
});
