/** Packets of gateways: converts bytes or JSON to typed objects and back, without sockets. */

export type { StationRate, StationRates } from './basics-station/data-rates.ts';
export { type Dnmsg, dnmsgOf } from './basics-station/downlink.ts';
export { formatID6, readEUI } from './basics-station/eui.ts';
export { formatExact, parseExact } from './basics-station/exact-json.ts';
export { readRouterQuery, readStationMessage, type StationMessage } from './basics-station/message.ts';
export { type RouterConfig, routerConfigOf, type StationRegion } from './basics-station/router-config.ts';
export type { BridgeMessage } from './gateway-bridge/bridge.ts';
export {
  bridgeGateway,
  readBridgeMessage,
  writeBridgeConfiguration,
  writeBridgeDownlink,
} from './gateway-bridge/bridge.ts';
export { type BridgeFormat, usualFormat } from './gateway-bridge/format.ts';
export { type BridgeTopic, bridgeFilters, bridgeTopic, readBridgeTopic } from './gateway-bridge/topic.ts';
export type { PacketFault } from './packet-error.ts';
export { PacketError } from './packet-error.ts';
export type { ModulationFields } from './semtech-udp/modulation.ts';
export type {
  Header,
  Packet,
  PacketType,
  PullAck,
  PullData,
  PullResp,
  PushAck,
  PushData,
  TxAck,
  Version,
} from './semtech-udp/packet.ts';
export { decodeHeader, decodePacket, encodePacket } from './semtech-udp/packet.ts';
export type { Rxpk, Uplinks } from './semtech-udp/rxpk.ts';
export { concentratorTime, rxpkOf, uplinksOf } from './semtech-udp/rxpk.ts';
export type { Stat } from './semtech-udp/stat.ts';
export { formatStatTime, statsOf } from './semtech-udp/stat.ts';
export { txAckStatusOf } from './semtech-udp/tx-ack.ts';
export type { Txpk, TxpkOptions } from './semtech-udp/txpk.ts';
export { downlinkItemOf, readTxpk, txpkOf } from './semtech-udp/txpk.ts';
