/** The state of discovery of a gateway. The recorded API returns the last ping, but not why there is none. */
import { only, organizationReaders } from './access.ts';
import { get, ownOperationsOf } from './operation.ts';
import { double, eui64, int32, listOf, message, text, timestamp, uint32, type ValueOf } from './wire.ts';

const PingReceiver = message('hilltop.PingReceiver', {
  gatewayID: text(),
  name: text({ help: 'Empty when the gateway is of an organization that one may not see.' }),
  rssi: int32({ unit: 'dBm' }),
  loRaSNR: double({ unit: 'dB' }),
  latitude: double(),
  longitude: double(),
  altitude: double({ unit: 'm' }),
});

export const GatewayDiscovery = message('hilltop.GatewayDiscovery', {
  triedAt: timestamp({ label: 'Last turn', help: 'When the server last requested a ping; null: never.' }),
  outcome: text({
    label: 'Outcome',
    help: 'Of that: SENT, NO_ANSWER, NOT_CONNECTED, BASICS_STATION, NOT_SENT, or the status with which the gateway refused it, such as TX_FREQ.',
  }),
  sentAt: timestamp({ label: 'Last ping', help: 'That has left; null: none has.' }),
  frequency: uint32({ unit: 'Hz' }),
  dr: uint32(),
  receivers: listOf(PingReceiver),
});
export type GatewayDiscovery = ValueOf<typeof GatewayDiscovery>;

export const gatewayDiscovery = ownOperationsOf('gatewayDiscovery', {
  get: get('/api/gateways/{gateway_id}/discovery', {
    summary: 'Get the last discovery ping of a gateway, who received it, and why the last attempt failed',
    request: message('hilltop.GetGatewayDiscoveryRequest', { gatewayID: eui64({ required: true }) }),
    response: GatewayDiscovery,
    access: only('gateway', 'gatewayID', organizationReaders),
  }),
});
