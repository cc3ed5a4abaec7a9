import type { Channel, Region } from '@hilltop/lorawan';
import type { ApplicationServer } from './application-server.ts';
import type { Transmissions } from './downlink/transmissions.ts';
import type { FrameLog, FrameLogEntry } from './frame-log.ts';
import type { GatewayPaths } from './gateways/paths.ts';
import type { JoinServer } from './join-server.ts';
import type { Settings } from './settings.ts';
import type { State } from './state/state.ts';
import type { Clock, Count, Log, Random } from './surroundings.ts';

/** What every step of one network server works with. */
export interface Network {
  region: Region;
  /** Six hex digits. */
  netID: string;
  settings: Settings;
  /** What the devices shall end up with: by region and settings. */
  wanted: WantedRadio;
  state: State;
  applicationServer: ApplicationServer;
  joinServer: JoinServer;
  gateways: GatewayPaths;
  transmissions: Transmissions;
  gatewayFrames: FrameLog<FrameLogEntry>;
  deviceFrames: FrameLog<FrameLogEntry>;
  clock: Clock;
  random: Random;
  log: Log;
  count: Count;
}

export interface WantedRadio {
  rxDelay: number;
  rx1DROffset: number;
  rx2DataRate: number;
  rx2Frequency: number;
  extraChannels: Channel[];
  enabledChannels: number[];
}
