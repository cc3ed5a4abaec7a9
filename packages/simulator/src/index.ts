/** Gateways and devices that speak the real protocols with real keys, for tests, the demo and the bench. */
export type { Clock } from './clock.ts';
export { systemClock } from './clock.ts';
export type { Device } from './device/device.ts';
export { createDevice } from './device/device.ts';
export type { DeviceOptions, Key, PersonalizedKeys } from './device/device-options.ts';
export type { Received } from './device/received.ts';
export type { DeviceSession, RadioSettings } from './device/session.ts';
export type { ReceiveWindow, Transmission, WindowName } from './device/transmission.ts';
export type { UplinkMessage } from './device/uplink.ts';
export type { Downlink, Gateway, GatewayCounts, GatewayOptions, Push } from './gateway.ts';
export { startGateway } from './gateway.ts';
export type { Exchange, NetworkOptions, Place, SimulatedNetwork } from './network.ts';
export { createNetwork } from './network.ts';
export type { Position, Signal } from './radio.ts';
export { distanceKm, isHeard, signalAt } from './radio.ts';
export type { Random } from './random.ts';
export { randomBytes, seededRandom } from './random.ts';
export { modulationFields, rxpkOf } from './rxpk.ts';
