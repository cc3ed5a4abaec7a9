import type { Clock } from '@hilltop/network-server';
import { RpcError } from '@hilltop/protobuf';
import type { Database } from '../database/database.ts';
import type { ServerRuns } from '../database/server-runs.ts';
import type { KeyEnvelopes } from '../key-envelopes.ts';
import type { PayloadCodecs } from '../payload-codecs/codec.ts';
import type { Secrets } from '../secrets.ts';
import type { Statistics } from '../statistics/statistics.ts';
import type { DeviceContext, DeviceContexts } from './device-context.ts';
import type { DownlinkSteps } from './downlink-steps.ts';
import type { GatewayEvents } from './gateway-events.ts';
import type { EventRecorder } from './recorder.ts';

/** The dependencies of the handlers of network messages. */
export type EventDependencies = {
  database: Database;
  devices: DeviceContexts;
  recorder: EventRecorder;
  gatewayEvents: GatewayEvents;
  downlinkSteps: DownlinkSteps;
  statistics: Statistics;
  codecs: PayloadCodecs;
  secrets: Secrets;
  keyEnvelopes: KeyEnvelopes;
  clock: Clock;
  serverRuns: Pick<ServerRuns, 'stops'>;
};

/** The device of a message. Throws RpcError with `status` when it is unknown. */
export async function requireDevice(
  { devices }: EventDependencies,
  devEui: Uint8Array,
  status: 'Internal' | 'NotFound',
): Promise<DeviceContext> {
  const devEUI = devEui.toHex();
  const device = await devices.of(devEUI);
  if (!device) throw new RpcError(status, `There is no device ${devEUI}.`);
  return device;
}
