import type { Network } from '../network/network.ts';
import type { DeviceProfileRecord } from '../state/records.ts';
import type { DeviceSession } from '../state/session.ts';
import type { QueueItem } from '../state/state.ts';
import type { ReceiveWindow } from './windows.ts';

/** A class B or C device, which receives downlinks without an uplink before. */
export interface Listener {
  network: Network;
  session: DeviceSession;
  deviceProfile: DeviceProfileRecord;
}

/** How the first of some queued items is sent. Times are milliseconds since 1970. */
export interface SendOpportunity {
  /** The earliest time at which it is passed to a gateway. */
  from: number;
  /** When its transmission begins. */
  onAirAt: number;
  window: ReceiveWindow;
  /** The items to store: the first one, and those that are announced with it. */
  items: QueueItem[];
}
