/** The addresses for gateways. Not in the recorded API, which does not know where its network-servers listen. */
import { gatewayAdmins, only } from './access.ts';
import { get, ownOperationsOf } from './operation.ts';
import {
  bool,
  count,
  enumeration,
  eui64,
  int64,
  listOf,
  message,
  oneOf,
  text,
  timestamp,
  type ValueOf,
} from './wire.ts';

export const GatewayLink = enumeration('hilltop.GatewayLink', ['SEMTECH_UDP', 'BASICS_STATION', 'MQTT']);

export const GatewayListener = message('hilltop.GatewayListener', {
  link: oneOf(GatewayLink),
  host: text({ help: 'Only for an external broker: its host.' }),
  port: count(),
  isSecure: bool({ help: 'By TLS alone.' }),
  isLocal: bool({ help: 'Only from localhost.' }),
  needsProof: bool({ help: 'Gateways must authenticate with a certificate or a key.' }),
});
export type GatewayListener = ValueOf<typeof GatewayListener>;

export const UnknownGateway = message('hilltop.UnknownGateway', {
  id: eui64({ label: 'Gateway ID' }),
  link: oneOf(GatewayLink),
  times: count({ label: 'Times', help: 'The number of refused connections.' }),
  firstAt: timestamp({ label: 'First' }),
  lastAt: timestamp({ label: 'Last' }),
});
export type UnknownGateway = ValueOf<typeof UnknownGateway>;

const request = message('hilltop.ConnectingRequest', { organizationID: int64({ required: true }) });
// Callers that may create a gateway there.
const access = only('organization', 'organizationID', gatewayAdmins, { needs: ['canHaveGateways'] });

export const connecting = ownOperationsOf('connecting', {
  get: get('/api/organizations/{organization_id}/connecting', {
    summary: 'Where gateways of an organization connect',
    request,
    response: message('hilltop.GetConnectingResponse', { result: listOf(GatewayListener) }),
    access,
  }),
  listUnknown: get('/api/organizations/{organization_id}/connecting/unknown-gateways', {
    summary: 'List unregistered gateways that tried to connect within the last hour, the latest first',
    request,
    response: message('hilltop.ListUnknownGatewaysResponse', { result: listOf(UnknownGateway) }),
    access,
  }),
});
