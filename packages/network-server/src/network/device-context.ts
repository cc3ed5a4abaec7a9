import type { DeviceProfileRecord, ServiceProfileRecord } from '../state/records.ts';
import type { DeviceSession } from '../state/session.ts';
import type { Network } from './network.ts';

/** The input of all steps for one device. They change `session`, which is saved with the uplink. */
export interface DeviceContext {
  network: Network;
  session: DeviceSession;
  deviceProfile: DeviceProfileRecord;
  serviceProfile: ServiceProfileRecord;
}
