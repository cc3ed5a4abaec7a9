export type { DownlinkForecast } from './downlink/forecast.ts';
export type { PingOutcome } from './downlink/ping.ts';
export { type BasicsStationNeeds, type Identity, serveBasicsStation } from './gateways/basics-station.ts';
export { createExchange } from './gateways/exchange.ts';
export {
  type GatewayNetwork,
  type GatewaySigns,
  type Link,
  type LinkNeeds,
  mostGatewayMessagesPerSecond,
} from './gateways/link.ts';
export { type BridgeClient, type MqttGateways, startMqttGateways } from './gateways/mqtt.ts';
export {
  createGatewayPaths,
  type GatewayPath,
  type GatewayPaths,
  type LinkKind,
  type PeerGatewayPaths,
} from './gateways/paths.ts';
export { type SemtechUdp, startSemtechUdp } from './gateways/semtech-udp.ts';
export { DutyCycleUse, type OrderedAirtime } from './network/duty-cycle-use.ts';
export type { FrameLogEntry, FrameRemarks, PeerFrameLog } from './network/frame-log.ts';
export { type ConnectionProtocol, createErrorBoundary, type ErrorBoundary } from './platform/error-boundary.ts';
export { createOccasionalLog } from './platform/occasional-log.ts';
export type { Clock, Count, Log, LogFields, Random } from './platform/runtime.ts';
export { createTokenBucket } from './platform/token-bucket.ts';
export type { AirtimeObserver, AirtimeSender, ReceivedAirtime, SentAirtime } from './ports/airtime.ts';
export type {
  AcceptedJoin,
  ApplicationServer,
  CounterStep,
  FrameReport,
  LoggedFrame,
  SentDownlink,
  SessionMove,
  UplinkRadio,
} from './ports/application-server.ts';
export type * from './ports/cross-instance-deduplication.ts';
export type {
  DownlinkReport,
  DownlinkStep,
  ReceiveWindowName,
  ReportDownlink,
} from './ports/downlink-reports.ts';
export { type JoinRefusalReason, refusalOf } from './ports/join-refusals.ts';
export type * from './ports/join-reports.ts';
export type { JoinAnswer, JoinRequest, JoinServer } from './ports/join-server.ts';
export { createJournalOnlyNetwork, type JournalOnlyNetwork } from './server/journal-only-network.ts';
export {
  type Configuration,
  createNetworkServer,
  type GatewayConnection,
  type NetworkServer,
  type PeerFrameLogs,
} from './server/network-server.ts';
export type { CommandEffect, SettingsEffects } from './server/settings-effects.ts';
export type { Cancellation, ComposedItem, QueueEnd, QueueOptions } from './service/queue.ts';
export { bootRX2Problem } from './session/boot-rx2.ts';
export { isDevNonceCounter } from './session/session-version.ts';
export { defaultSettings, type Settings } from './settings/settings.ts';
export { mostDownlinkPower, type SettingsProblem, settingsProblems } from './settings/settings-problems.ts';
export type * from './state/due.ts';
export type { Effect } from './state/effect.ts';
export { createInMemoryState } from './state/in-memory.ts';
export type * from './state/records.ts';
export type * from './state/session.ts';
export type * from './state/state.ts';
export type { SimulatedDataRate, SimulatedRadio } from './uplink/simulated-radio.ts';
