import type { TxAck, Version } from '@hilltop/gateway-protocols';
import { txAckStatusOf } from '@hilltop/gateway-protocols';
import type { gw } from '@hilltop/protobuf';
import { create, gw as gateway } from '@hilltop/protobuf';
import type { Clock } from '../surroundings.ts';

interface Sent {
  frame: gw.DownlinkFrame;
  /** Index of the item that is with the gateway. */
  trying: number;
  statuses: gw.TxAckStatus[];
  until: number;
}

const rememberMs = 15_000;
const tokens = 0x10000;

/**
 * Downlinks that wait for their TX_ACK. A refused item is followed by the next one (RX2 after RX1) under the same token;
 * the answer goes to `finished` once, with one status per item. Two downlinks that are with a gateway never share a
 * token. Version 1 gateways never answer: sent counts as OK.
 */
export function createSemtechDownlinks(needs: {
  clock: Clock;
  transmit: (gatewayID: string, token: number, item: gw.DownlinkFrameItem) => boolean;
  answered: (gatewayID: string, status: gw.TxAckStatus) => void;
  finished: (gatewayID: string, ack: gw.DownlinkTXAck) => void;
}) {
  const sent = new Map<string, Sent>();
  const keyOf = (gatewayID: string, token: number) => `${gatewayID}/${token}`;

  function forgetOld(): void {
    const now = needs.clock.monotonicMs();
    for (const [key, one] of sent) {
      if (one.until > now) return;
      sent.delete(key);
    }
  }

  function finish(gatewayID: string, { frame, statuses }: Sent): void {
    const items = frame.items.map((_, index) => ({ status: statuses[index] ?? ('IGNORED' as const) }));
    const { token, downlinkID } = frame;
    needs.finished(gatewayID, create(gateway.DownlinkTXAck, { gatewayID: frame.gatewayID, token, downlinkID, items }));
  }

  /** The frame's own token, else the next one that is not with the gateway already; null when all are. */
  function freeToken(gatewayID: string, wanted: number): number | null {
    for (let tried = 0; tried < tokens; tried += 1) {
      const token = (wanted + tried) % tokens;
      if (!sent.has(keyOf(gatewayID, token))) return token;
    }
    return null;
  }

  return {
    send(gatewayID: string, version: Version, frame: gw.DownlinkFrame): boolean {
      forgetOld();
      const [first] = frame.items;
      const token = freeToken(gatewayID, frame.token);
      if (!first || token === null || !needs.transmit(gatewayID, token, first)) return false;
      const one: Sent = { frame, trying: 0, statuses: [], until: needs.clock.monotonicMs() + rememberMs };
      if (version === 2) sent.set(keyOf(gatewayID, token), one);
      else finish(gatewayID, { ...one, statuses: ['OK'] });
      return true;
    },
    /** `false`: nothing is known about this token. */
    acknowledge(packet: TxAck): boolean {
      forgetOld();
      const { gatewayID } = packet;
      const key = keyOf(gatewayID, packet.token);
      const one = sent.get(key);
      if (!one) return false;
      const status = txAckStatusOf(packet);
      needs.answered(gatewayID, status);
      one.statuses[one.trying] = status;
      one.trying += 1;
      const next = one.frame.items[one.trying];
      if (status !== 'OK' && next && needs.transmit(gatewayID, packet.token, next)) return true;
      sent.delete(key);
      finish(gatewayID, one);
      return true;
    },
  };
}
