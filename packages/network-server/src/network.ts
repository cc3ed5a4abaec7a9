import type { Region } from '@hilltop/lorawan';
import type { ApplicationServer } from './application-server.ts';
import type { Awaited } from './downlink/awaited.ts';
import type { Transmissions } from './downlink/transmissions.ts';
import type { FrameLog, FrameLogEntry } from './frame-log.ts';
import type { FrequencyPlan } from './frequency-plan.ts';
import type { GatewayClocks } from './gateway-clocks.ts';
import type { GatewayPaths } from './gateways/paths.ts';
import type { JoinServer } from './join-server.ts';
import type { Cooldowns } from './multicast/cooldowns.ts';
import type { Turns } from './multicast/turns.ts';
import type { Relays } from './relay/relays.ts';
import type { Settings } from './settings.ts';
import type { State } from './state/state.ts';
import type { Clock, Count, Log, Random } from './surroundings.ts';
import type { CrossInstanceDeduplication } from './uplink/cross-instance-deduplication.ts';
import type { ErrorLimit } from './uplink/error-limit.ts';
import type { WantedRadio } from './wanted-radio.ts';

/**
 * What every step of one network server works with. NetID, settings and what follows from them change while it runs: they
 * are read from here each time, and by who waits in between only once.
 */
export interface Network extends Configured {
  region: Region;
  state: State;
  /** null: no other process works on this state. */
  copies: CrossInstanceDeduplication | null;
  applicationServer: ApplicationServer;
  joinServer: JoinServer;
  gateways: GatewayPaths;
  transmissions: Transmissions;
  awaited: Awaited;
  /** Of gateways and groups after multicast downlinks. */
  rests: Cooldowns;
  /** Of tenants and groups at gateways. */
  turns: Turns;
  relays: Relays;
  errorLimit: ErrorLimit;
  gatewayClocks: GatewayClocks;
  /** Of gateways that have refused to send at a GPS time. */
  gpsOutages: Cooldowns;
  gatewayFrames: FrameLog<FrameLogEntry>;
  deviceFrames: FrameLog<FrameLogEntry>;
  clock: Clock;
  /** Milliseconds since 1970 by which old things are removed: it does not follow a clock that is set forward. */
  removalTime: () => Promise<number>;
  random: Random;
  log: Log;
  count: Count;
}

export interface Configured {
  /** Six hex digits. */
  netID: string;
  settings: Settings;
  /** What the devices shall end up with: by region and settings. */
  wanted: WantedRadio;
  plan: FrequencyPlan;
}
