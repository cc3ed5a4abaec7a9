/** The messages that ChirpStack Gateway Bridge, the MQTT Forwarder of Concentratord and compatible gateways publish. */
import { create, gw, type InitOf } from '@hilltop/protobuf';
import { PacketError } from '../packet-error.ts';
import { txAckStatusOf } from '../semtech-udp/tx-ack.ts';
import { checkedStats, checkedUplink } from './checked.ts';
import { type BridgeFormat, decode, encode } from './format.ts';
import { configuration, connState, downlink, stats, txAck, uplink } from './messages.ts';
import type { BridgeTopic } from './topic.ts';

/** A message of a gateway, and its format. */
export type BridgeMessage =
  | { readonly name: 'up'; readonly format: BridgeFormat; readonly frame: gw.UplinkFrame }
  | { readonly name: 'stats'; readonly format: BridgeFormat; readonly stats: gw.GatewayStats }
  /**
   * `downlinkID` has 16 bytes, or their first four, or none if only the token identifies the downlink; there is at
   * least one item.
   */
  | { readonly name: 'ack'; readonly format: BridgeFormat; readonly ack: gw.DownlinkTXAck }
  | { readonly name: 'conn'; readonly format: BridgeFormat; readonly isOnline: boolean }
  /** Answers to commands that Hilltop does not send. */
  | { readonly name: 'unused' };

const unused: readonly string[] = ['exec', 'raw', 'mesh'];

/** @throws PacketError */
export function readBridgeMessage(topic: BridgeTopic, bytes: Uint8Array): BridgeMessage {
  const { gatewayID, part, name } = topic;
  switch (`${part}/${name}`) {
    case 'event/up': {
      const { format, message } = decode(uplink, gatewayID, bytes);
      return { name: 'up', format, frame: checkedUplink(message) };
    }
    case 'event/stats': {
      const { format, message } = decode(stats, gatewayID, bytes);
      return { name: 'stats', format, stats: checkedStats(message) };
    }
    case 'event/ack': {
      const { format, message: ack } = decode(txAck, gatewayID, bytes);
      if (ack.items.length === 0) ack.items.push({ status: txAckStatusOf(ack) });
      return { name: 'ack', format, ack };
    }
    case 'state/conn': {
      const { format, message } = decode(connState, gatewayID, bytes);
      return { name: 'conn', format, isOnline: message.state === 'ONLINE' };
    }
  }
  if (part === 'event' && unused.includes(name)) return { name: 'unused' };
  throw new PacketError('topic', `nobody listens to ${part}/${name}`);
}

/** The payload of `command/down`. Older gateways read only the first item. */
export function writeBridgeDownlink(format: BridgeFormat, frame: gw.DownlinkFrame): Uint8Array {
  const { gatewayID } = frame;
  const items = frame.items.map(({ phyPayload, txInfo }) => ({
    phyPayload,
    txInfo: txInfo && { ...txInfo, gatewayID },
  }));
  const { phyPayload, txInfo } = items[0] ?? frame;
  return encode(downlink, format, { ...frame, items, phyPayload, txInfo });
}

/** The payload of `command/config`. */
export function writeBridgeConfiguration(format: BridgeFormat, message: gw.GatewayConfiguration): Uint8Array {
  return encode(configuration, format, message);
}

/** The gateway side, for simulated gateways. */
export const bridgeGateway = {
  uplink: (format: BridgeFormat, init: InitOf<typeof gw.UplinkFrame>) =>
    encode(uplink, format, create(gw.UplinkFrame, init)),
  stats: (format: BridgeFormat, init: InitOf<typeof gw.GatewayStats>) =>
    encode(stats, format, create(gw.GatewayStats, init)),
  txAck: (format: BridgeFormat, init: InitOf<typeof gw.DownlinkTXAck>) =>
    encode(txAck, format, create(gw.DownlinkTXAck, init)),
  connState: (format: BridgeFormat, init: InitOf<typeof gw.ConnState>) =>
    encode(connState, format, create(gw.ConnState, init)),
  readDownlink: (gatewayID: string, bytes: Uint8Array) => decode(downlink, gatewayID, bytes).message,
  readConfiguration: (gatewayID: string, bytes: Uint8Array) => decode(configuration, gatewayID, bytes).message,
};
