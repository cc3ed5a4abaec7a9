import type { DeviceProfileRecord, ServiceProfileRecord } from '../state/records.ts';
import type { DeviceSession } from '../state/session.ts';
import type { Network } from './network.ts';

/** What the steps for one device work with. They change `session`, which is saved with the uplink. */
export interface DeviceContext {
  network: Network;
  session: DeviceSession;
  deviceProfile: DeviceProfileRecord;
  serviceProfile: ServiceProfileRecord;
}
