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

const GatewayLink = enumeration('hilltop.GatewayLink', ['SEMTECH_UDP', 'BASICS_STATION', 'MQTT']);

export const GatewayListener = message('hilltop.GatewayListener', {
  link: oneOf(GatewayLink),
  host: text({ help: 'Only where it is not the host of this server: of a broker elsewhere.' }),
  port: count(),
  isSecure: bool({ help: 'By TLS alone.' }),
  isLocal: bool({ help: 'Only from this very machine.' }),
  needsProof: bool({ help: 'A gateway has to show a certificate or a key.' }),
});
export type GatewayListener = ValueOf<typeof GatewayListener>;

export const UnknownGateway = message('hilltop.UnknownGateway', {
  id: eui64({ label: 'Gateway ID' }),
  link: oneOf(GatewayLink),
  times: count({ label: 'Times', help: 'So often it was turned away.' }),
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
    summary:
      'List gateways that were turned away within the last hour, as nobody has registered them, the latest first',
    request,
    response: message('hilltop.ListUnknownGatewaysResponse', { result: listOf(UnknownGateway) }),
    access,
  }),
});
