import { fileURLToPath } from 'node:url';
import type { DeviceActivation } from '@hilltop/contract';

/** What earlier versions left behind, a folder each; `make-fixture.ts` makes one. */
export const fixtures = fileURLToPath(new URL('fixtures', import.meta.url));

/** What is in one of them. Its passwords, keys and tokens are good nowhere else. */
export interface Fixture {
  madeAt: string;
  member: { email: string; password: string; token: string };
  adminToken: string;
  /** Of an API key for the application. */
  keyToken: string;
  applicationID: string;
  gatewayID: string;
  rootKeys: { nwkKey: string; appKey: string };
  /** The first one has one more uplink that was acknowledged and not yet processed, and an item in its queue. */
  devices: FixtureDevice[];
  queued: { fPort: number; data: string; confirmed: boolean };
}

export interface FixtureDevice {
  devEUI: string;
  macVersion: string;
  activation: DeviceActivation;
  /** Types of its events, oldest first. */
  events: string[];
}
