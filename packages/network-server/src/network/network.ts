import type { Region } from '@hilltop/lorawan';
import type { GatewayPaths } from '../gateways/paths.ts';
import type { Cooldowns } from '../platform/cooldowns.ts';
import type { Clock, Count, Log, Random } from '../platform/runtime.ts';
import type { AirtimeObserver } from '../ports/airtime.ts';
import type { ApplicationServer } from '../ports/application-server.ts';
import type { ReportDownlink } from '../ports/downlink-reports.ts';
import type { JoinReports } from '../ports/join-reports.ts';
import type { JoinServer } from '../ports/join-server.ts';
import type { FrequencyPlan } from '../radio/frequency-plan.ts';
import type { GatewayClocks } from '../radio/gateway-clocks.ts';
import type { WantedRadio } from '../radio/wanted-radio.ts';
import type { Settings } from '../settings/settings.ts';
import type { State } from '../state/state.ts';
import type { AwaitedGateways } from './awaited-gateways.ts';
import type { DutyCycle } from './duty-cycle.ts';
import type { FairOrder } from './fair-order.ts';
import type { FrameLog, FrameLogEntry } from './frame-log.ts';
import type { OutOfOrderUplinks } from './out-of-order-uplinks.ts';
import type { Relays } from './relays.ts';
import type { ReportLimit } from './report-limit.ts';
import type { Transmissions } from './transmissions.ts';

/**
 * The context of all steps of one network server. NetID, settings and what derives from them change while it runs: each
 * step reads them when it needs them, and a step that waits in between reads them once.
 */
export interface Network extends DerivedConfiguration {
  region: Region;
  state: State;
  /** Whether peers work on the same state. */
  isShared: boolean;
  outOfOrder: OutOfOrderUplinks;
  applicationServer: ApplicationServer;
  reportDownlink: ReportDownlink;
  airtime: AirtimeObserver;
  dutyCycle: DutyCycle;
  joinServer: JoinServer;
  joinReports: JoinReports;
  gateways: GatewayPaths;
  transmissions: Transmissions;
  awaitedGateways: AwaitedGateways;
  /** Cooldowns of gateways and groups after multicast downlinks. */
  multicastCooldowns: Cooldowns;
  /** The order of tenants and groups at gateways. */
  multicastOrder: FairOrder;
  relays: Relays;
  errorLimit: ReportLimit;
  dropLimit: ReportLimit;
  gatewayClocks: GatewayClocks;
  /** Gateways that have refused to send at a GPS time. */
  gpsOutages: Cooldowns;
  gatewayFrames: FrameLog<FrameLogEntry>;
  deviceFrames: FrameLog<FrameLogEntry>;
  clock: Clock;
  /** Milliseconds since 1970 for removing old data: it does not follow a clock that is set forward. */
  removalTime: () => Promise<number>;
  random: Random;
  log: Log;
  count: Count;
}

export interface DerivedConfiguration {
  /** Six hex digits. */
  netID: string;
  settings: Settings;
  /** The radio parameters that devices should use, from region and settings. */
  wanted: WantedRadio;
  plan: FrequencyPlan;
}
