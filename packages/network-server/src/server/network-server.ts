/**
 * The network server of one region: checks uplinks, reports to the application server, and answers devices. Its callers
 * use the `ns` service and it calls back through the `as` service, like a remote network server.
 */
import { type Region, region } from '@hilltop/lorawan';
import type { as, ns } from '@hilltop/protobuf';
import { type DownlinkForecast, forecastOf } from '../downlink/forecast.ts';
import { type PingOutcome, ping } from '../downlink/ping.ts';
import { scheduleAwaitedQueues } from '../downlink/queue.ts';
import { dueHandlers } from '../due/handlers.ts';
import { createScheduler } from '../due/scheduler.ts';
import { createSilentSessionCleanup } from '../due/silent-sessions.ts';
import type { GatewayNetwork } from '../gateways/link.ts';
import type { GatewayPaths, LinkKind } from '../gateways/paths.ts';
import { countUnreadable } from '../network/airtime.ts';
import { createAwaitedGateways } from '../network/awaited-gateways.ts';
import { DutyCycle } from '../network/duty-cycle.ts';
import type { DutyCycleUse } from '../network/duty-cycle-use.ts';
import { createFairOrder } from '../network/fair-order.ts';
import { createFrameLog, type FrameLogEntry, type PeerFrameLog } from '../network/frame-log.ts';
import type { DerivedConfiguration, Network } from '../network/network.ts';
import { alwaysInOrder, outOfOrderAmongPeers } from '../network/out-of-order-uplinks.ts';
import { createRelays } from '../network/relays.ts';
import { createReportLimit } from '../network/report-limit.ts';
import { createTransmissions } from '../network/transmissions.ts';
import { createCooldowns } from '../platform/cooldowns.ts';
import { createKeyedQueues } from '../platform/keyed-queues.ts';
import type { Clock, Count, Log, Random } from '../platform/runtime.ts';
import type { AirtimeObserver } from '../ports/airtime.ts';
import type { ApplicationServer } from '../ports/application-server.ts';
import type { CrossInstanceDeduplication } from '../ports/cross-instance-deduplication.ts';
import type { ReportDownlink } from '../ports/downlink-reports.ts';
import type { JoinReports } from '../ports/join-reports.ts';
import type { JoinServer } from '../ports/join-server.ts';
import { frequencyPlan, isPlanned, onPlannedFrequency } from '../radio/frequency-plan.ts';
import { createGatewayClocks, isClockRight } from '../radio/gateway-clocks.ts';
import { wantedRadio } from '../radio/wanted-radio.ts';
import {
  type Cancellation,
  type ComposedItem,
  cancel,
  enqueue,
  type QueueEnd,
  type QueueOptions,
} from '../service/queue.ts';
import { createNetworkServerService } from '../service/service.ts';
import { newActivationOf } from '../session/new-activation.ts';
import { defaultSettings, type Settings } from '../settings/settings.ts';
import type { State } from '../state/state.ts';
import { cluster } from '../uplink/cluster/cluster.ts';
import { singleProcess, UplinkPipeline } from '../uplink/pipeline.ts';
import { type SimulatedRadio, simulatedRadioOf } from '../uplink/simulated-radio.ts';
import { handleDownlinkResult } from './downlink-results.ts';
import { configurationOf } from './gateway-configuration.ts';
import { contactWrite, noteGatewayStats } from './gateway-stats.ts';
import { effectsOfSettings, type SettingsEffects } from './settings-effects.ts';

export interface NetworkServer extends GatewayNetwork {
  service: ns.NetworkServerService;
  hasGateway(gatewayID: string): Promise<boolean>;
  /** Whether gateways that belong to no network server are accepted. */
  allowsUnknownGateways(): boolean;
  /** Whether much more than usual waits to be processed. */
  isBehind(): boolean;
  /** Takes effect from the next frame on. */
  configure(configuration: Configuration): void;
  /** The effects that `configure` would have. */
  effectsOf(configuration: Configuration): Promise<SettingsEffects>;
  /** `null`: the device has no session. */
  forecastOf(devEUI: string): Promise<DownlinkForecast | null>;
  /**
   * The activation of the current session of a device until its first uplink reports it to the application; null
   * afterwards.
   */
  newActivationOf(devEUI: string): Promise<as.DeviceActivationContext | null>;
  /**
   * Adds a downlink to the end of the queue of a device, with an id for reports. `compose` encrypts it for that end.
   * Answers its frame counter; rejects with `NotFound` for a device without session.
   */
  enqueue(devEUI: string, compose: (end: QueueEnd) => Promise<ComposedItem>, options: QueueOptions): Promise<number>;
  /** Removes an item from the queue, unless it is being sent. `by`: on whose behalf, for the report. */
  cancel(devEUI: string, id: string, by?: string): Promise<Cancellation>;
  /** The frame counters of the queued downlinks of a device, by their ids. */
  queuedFCnts(devEUI: string): Promise<ReadonlyMap<string, number>>;
  /** How an uplink of the device would be sent now, for a simulated one; null without a session. */
  simulatedRadioOf(devEUI: string): Promise<SimulatedRadio | null>;
  /**
   * Milliseconds by which the clock of a gateway is ahead of ours; null while that is within the limit of the settings.
   */
  clockOffsetOf(gatewayID: string): Promise<number | null>;
  /** How a gateway is connected now, on this instance or on a peer; null when no link has it. */
  connectionOf(gatewayID: string): GatewayConnection | null;
  /** Makes one gateway send a frame for others to receive. Throws InvalidArgument when no gateway of the region can. */
  ping(one: Parameters<typeof ping>[1]): Promise<PingOutcome>;
  /** Processes what the last run did not finish, then due work. */
  start(): Promise<void>;
  /** Accepts no more uplinks, and resolves when the accepted ones are written. */
  stop(): Promise<void>;
}

export interface Configuration {
  /** Six hex digits. */
  netID: string;
  /** Absent settings have the values of `defaultSettings`. */
  settings?: Partial<Settings>;
}

/** The link that has a gateway; `address` is empty where the link does not know it. */
export interface GatewayConnection {
  link: LinkKind;
  address: string;
}

/** The frame logs of gateways and devices in other processes. */
export interface PeerFrameLogs {
  ofGateways: PeerFrameLog<FrameLogEntry>;
  ofDevices: PeerFrameLog<FrameLogEntry>;
}

const mostLoggedKeys = 5000;
const seenEveryMs = 60_000;

interface NetworkServerDependencies extends Configuration {
  /** A region of the lorawan package, such as EU868. An unknown one throws RangeError. */
  region: string;
  state: State;
  /** Present when peers work on the same state. */
  crossInstance?: CrossInstanceDeduplication | undefined;
  /** Likewise. */
  peerFrameLogs?: PeerFrameLogs | undefined;
  applicationServer: ApplicationServer;
  reportDownlink: ReportDownlink;
  airtime: AirtimeObserver;
  /** Shared by all network servers of the process. */
  dutyCycleUse: DutyCycleUse;
  joinServer: JoinServer;
  joinReports: JoinReports;
  /** Shared by all network servers and gateway links of the process. */
  gateways: GatewayPaths;
  clock: Clock;
  /** Milliseconds since 1970 for removing old data: it does not follow a clock that is set forward. */
  removalTime: () => Promise<number>;
  random: Random;
  log: Log;
  count: Count;
}

export function createNetworkServer(needs: NetworkServerDependencies): NetworkServer {
  const { state, clock, crossInstance } = needs;
  const bands = region(needs.region);
  const network = createNetwork(needs, bands);
  const queues = createKeyedQueues();
  const uplinks = new UplinkPipeline(network, queues, crossInstance ? cluster(crossInstance) : singleProcess);
  const scheduler = createScheduler(network, dueHandlers(network, queues));
  const silence = createSilentSessionCleanup(network, queues);
  const lastSeenWrites = new Map<string, number>();
  let stopListening: (() => void) | undefined;

  return {
    service: createNetworkServerService(network),
    hasGateway: async (gatewayID) => (await state.get('gateway', gatewayID)) !== null,
    allowsUnknownGateways: () => network.settings.allowUnknownGateways,
    isPlanned: (txInfo) => isPlanned(bands, network.plan, txInfo),
    receivedUnreadable: (gatewayID, frames) => countUnreadable(network, gatewayID, frames),
    isBehind: () => uplinks.isBehind(),
    receive: (copies) => uplinks.receive(copies.map((copy) => onPlannedFrequency(network.plan, copy))),
    gatewayStats: (stats, isGatewayTime) => noteGatewayStats(network, stats, isGatewayTime),
    async clockOffsetOf(gatewayID) {
      const offset = (await state.get('gatewaySeen', gatewayID))?.clockOffsetMs ?? 0;
      return isClockRight(network, offset) ? null : offset;
    },
    connectionOf(gatewayID) {
      const path = needs.gateways.of(gatewayID);
      return path ? { link: path.link, address: path.address ?? path.source ?? '' } : null;
    },
    async gatewaySeen(gatewayID, time) {
      if (time) network.gatewayClocks.note(gatewayID, time);
      const now = clock.monotonicMs();
      if (now - (lastSeenWrites.get(gatewayID) ?? Number.NEGATIVE_INFINITY) < seenEveryMs) return;
      if ((await state.get('gateway', gatewayID)) === null) return;
      lastSeenWrites.set(gatewayID, now);
      await state.commit({ writes: [await contactWrite(network, gatewayID)], effects: [] });
    },
    region: bands,
    beaconFrequency: () => network.settings.classBBeaconFrequency,
    configurationOf: (gatewayID) => configurationOf(network, gatewayID),
    transmitted: (ack) => handleDownlinkResult(network, queues, ack),
    configure(configuration) {
      Object.assign(network, configured(bands, configuration));
    },
    forecastOf: (devEUI) => forecastOf(network, devEUI),
    async newActivationOf(devEUI) {
      const { current } = await state.sessions(devEUI);
      return current && newActivationOf(current);
    },
    enqueue: (devEUI, compose, options) =>
      enqueue(network, devEUI, compose, { ...options, leaseUntil: scheduler.leaseUntil() }),
    cancel: (devEUI, id, by) => cancel(network, devEUI, id, by),
    queuedFCnts: async (devEUI) => new Map((await state.queue(devEUI)).map(({ id, fCnt }) => [id, fCnt])),
    simulatedRadioOf: (devEUI) => simulatedRadioOf(network, devEUI),
    ping: (one) => ping(network, one),
    effectsOf: (configuration) => effectsOfSettings(network, { ...network, ...configured(bands, configuration) }),
    async start() {
      await uplinks.recover();
      stopListening = needs.gateways.onOpened((gatewayID) => void scheduleAwaitedQueues(network, gatewayID));
      scheduler.start();
      silence.start();
    },
    async stop() {
      stopListening?.();
      await Promise.all([uplinks.drain(), scheduler.stop(), silence.stop()]);
      network.transmissions.clear();
    },
  };
}

/** What all parts of the network server share. */
function createNetwork(needs: NetworkServerDependencies, bands: Region): Network {
  const { clock, crossInstance } = needs;
  const perKey = () => network.settings.frameLogHistory;
  const frames = (peers: PeerFrameLog<FrameLogEntry> | undefined) =>
    createFrameLog<FrameLogEntry>({ perKey, keys: mostLoggedKeys, peers: peers });
  const network: Network = {
    ...needs,
    ...configured(bands, needs),
    region: bands,
    isShared: crossInstance !== undefined,
    dutyCycle: new DutyCycle({ ...needs, region: bands, settings: () => network.settings }),
    outOfOrder: crossInstance ? outOfOrderAmongPeers(clock) : alwaysInOrder,
    transmissions: createTransmissions(clock),
    awaitedGateways: createAwaitedGateways(),
    multicastCooldowns: createCooldowns(clock),
    multicastOrder: createFairOrder(clock),
    relays: createRelays(needs.gateways),
    errorLimit: createReportLimit(clock, {
      most: 1,
      everyMs: 60_000,
      onLeftOut: (key) => needs.count('error_events_left_out', { type: key.split('/').at(-1) ?? '' }),
    }),
    dropLimit: createReportLimit(clock, {
      most: 20,
      everyMs: 3_600_000,
      onLeftOut: () => needs.count('dropped_frames_left_out'),
    }),
    gatewayClocks: createGatewayClocks(clock),
    gpsOutages: createCooldowns(clock),
    gatewayFrames: frames(needs.peerFrameLogs?.ofGateways),
    deviceFrames: frames(needs.peerFrameLogs?.ofDevices),
  };
  return network;
}

function configured(region: Region, { netID, settings: given }: Configuration): DerivedConfiguration {
  const settings = { ...defaultSettings, ...given };
  const wanted = wantedRadio(region, settings);
  return { netID, settings, wanted, plan: frequencyPlan(region, wanted) };
}
