import { fileURLToPath } from 'node:url';
import type { DeviceActivation } from '@hilltop/contract';

/** Data directories that earlier versions left behind, a folder each; `make-fixture.ts` creates one. */
export const fixtures = fileURLToPath(new URL('fixtures', import.meta.url));

/** The contents of a fixture. Its passwords, keys and tokens are used nowhere else. */
export interface Fixture {
  madeAt: string;
  member: { email: string; password: string; token: string };
  adminToken: string;
  /** The token of an API key of the application. */
  keyToken: string;
  applicationID: string;
  gatewayID: string;
  rootKeys: { nwkKey: string; appKey: string };
  /** The first device has one more uplink, acknowledged and not processed yet, and a queued downlink. */
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
