export type { ApplicationServer, Effect, SessionMove } from './application-server.ts';
export { bootRX2Problem } from './boot-rx2.ts';
export type { Outlook } from './downlink/outlook.ts';
export type { PingOutcome } from './downlink/ping.ts';
export { type ConnectionProtocol, createErrorBoundary, type ErrorBoundary } from './error-boundary.ts';
export type { FrameLogElsewhere, FrameLogEntry, FrameRemarks } from './frame-log.ts';
export { type BasicsStationNeeds, type Identity, serveBasicsStation } from './gateways/basics-station.ts';
export { createExchange } from './gateways/exchange.ts';
export type { GatewayNetwork, Link, LinkNeeds } from './gateways/link.ts';
export { type BridgeClient, type MqttGateways, startMqttGateways } from './gateways/mqtt.ts';
export { createOccasionalLog } from './gateways/occasional-log.ts';
export {
  createGatewayPaths,
  type GatewayPath,
  type GatewayPaths,
  type LinkKind,
  type PathsElsewhere,
} from './gateways/paths.ts';
export { type SemtechUdp, startSemtechUdp } from './gateways/semtech-udp.ts';
export { type HeldNetwork, holdUplinks } from './hold.ts';
export type { JoinAnswer, JoinRequest, JoinServer } from './join-server.ts';
export { type Configuration, createNetworkServer, type FramesElsewhere, type NetworkServer } from './network-server.ts';
export { isDevNonceCounter } from './session-version.ts';
export { defaultSettings, type Settings } from './settings.ts';
export type { CommandEffect, SettingsEffects } from './settings-effects.ts';
export { mostDownlinkPower, type SettingsProblem, settingsProblems } from './settings-problems.ts';
export type * from './state/due.ts';
export { createInMemoryState } from './state/in-memory.ts';
export type * from './state/records.ts';
export type * from './state/session.ts';
export type * from './state/state.ts';
export type { Clock, Count, Log, LogFields, Random } from './surroundings.ts';
export type * from './uplink/cross-instance-deduplication.ts';
