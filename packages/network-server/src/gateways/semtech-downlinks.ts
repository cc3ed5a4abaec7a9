import type { TxAck, Version } from '@hilltop/gateway-protocols';
import { txAckStatusOf } from '@hilltop/gateway-protocols';
import type { gw } from '@hilltop/protobuf';
import { create, gw as gateway } from '@hilltop/protobuf';
import type { Clock } from '../platform/runtime.ts';

interface SentDownlink {
  frame: gw.DownlinkFrame;
  /** Index of the item that the gateway has. */
  itemIndex: number;
  statuses: gw.TxAckStatus[];
  /** The address that it was sent to: only this address can confirm it. */
  to: string;
  until: number;
}

const rememberMs = 15_000;
const tokens = 0x10000;

/**
 * Downlinks that wait for their TX_ACK. When a gateway refuses an item, it gets the next one (RX2 after RX1);
 * `finished` gets the result once, with one status per item. Each item is sent with its own token, which is answered
 * once. Version 1 gateways never answer: a downlink that was sent counts as OK.
 */
export function createSemtechDownlinks(needs: {
  clock: Clock;
  /** Returns the address that it was sent to; null: the gateway cannot be reached. */
  transmit: (gatewayID: string, token: number, item: gw.DownlinkFrameItem) => string | null;
  answered: (gatewayID: string, status: gw.TxAckStatus) => void;
  finished: (gatewayID: string, ack: gw.DownlinkTXAck) => void;
}) {
  const sent = new Map<string, SentDownlink>();
  const keyOf = (gatewayID: string, token: number) => `${gatewayID}/${token}`;

  function forgetOld(): void {
    const now = needs.clock.monotonicMs();
    for (const [key, downlink] of sent) {
      if (downlink.until > now) return;
      sent.delete(key);
    }
  }

  function finish(gatewayID: string, { frame, statuses }: SentDownlink): void {
    const items = frame.items.map((_, index) => ({ status: statuses[index] ?? ('IGNORED' as const) }));
    const { token, downlinkID } = frame;
    needs.finished(gatewayID, create(gateway.DownlinkTXAck, { gatewayID: frame.gatewayID, token, downlinkID, items }));
  }

  /** The token of the frame, else the next one that is not in use; null when all are. */
  function freeToken(gatewayID: string, wanted: number): number | null {
    for (let tried = 0; tried < tokens; tried += 1) {
      const token = (wanted + tried) % tokens;
      if (!sent.has(keyOf(gatewayID, token))) return token;
    }
    return null;
  }

  /** Sends an item and returns its token and address; null: it could not be sent. */
  function transmitItem(gatewayID: string, wanted: number, item: gw.DownlinkFrameItem | undefined) {
    const token = freeToken(gatewayID, wanted);
    if (!item || token === null) return null;
    const to = needs.transmit(gatewayID, token, item);
    return to === null ? null : { token, to };
  }

  return {
    send(gatewayID: string, version: Version, frame: gw.DownlinkFrame): boolean {
      forgetOld();
      const transmitted = transmitItem(gatewayID, frame.token, frame.items[0]);
      if (!transmitted) return false;
      const { token, to } = transmitted;
      const downlink: SentDownlink = {
        frame,
        itemIndex: 0,
        statuses: [],
        to,
        until: needs.clock.monotonicMs() + rememberMs,
      };
      if (version === 2) sent.set(keyOf(gatewayID, token), downlink);
      else finish(gatewayID, { ...downlink, statuses: ['OK'] });
      return true;
    },
    /** `unknown`: no downlink waits with this token. `foreign`: the downlink was sent to another address. */
    acknowledge(packet: TxAck, from: string): 'accepted' | 'unknown' | 'foreign' {
      forgetOld();
      const { gatewayID } = packet;
      const key = keyOf(gatewayID, packet.token);
      const downlink = sent.get(key);
      if (!downlink) return 'unknown';
      if (downlink.to !== from) return 'foreign';
      const status = txAckStatusOf(packet);
      needs.answered(gatewayID, status);
      downlink.statuses[downlink.itemIndex] = status;
      downlink.itemIndex += 1;
      const transmitted =
        status === 'OK'
          ? null
          : transmitItem(gatewayID, (packet.token + 1) % tokens, downlink.frame.items[downlink.itemIndex]);
      sent.delete(key);
      if (transmitted) sent.set(keyOf(gatewayID, transmitted.token), { ...downlink, to: transmitted.to });
      else finish(gatewayID, downlink);
      return 'accepted';
    },
  };
}
