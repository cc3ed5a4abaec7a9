import type { TxAck, Version } from '@hilltop/gateway-protocols';
import { txAckStatusOf } from '@hilltop/gateway-protocols';
import type { gw } from '@hilltop/protobuf';
import { create, gw as gateway } from '@hilltop/protobuf';
import type { Clock } from '../platform/runtime.ts';

interface Sent {
  frame: gw.DownlinkFrame;
  /** Index of the item that is with the gateway. */
  trying: number;
  statuses: gw.TxAckStatus[];
  /** The address that it was sent to: only this address can confirm it. */
  to: string;
  until: number;
}

const rememberMs = 15_000;
const tokens = 0x10000;

/**
 * Downlinks that wait for their TX_ACK. When a gateway refuses an item, it gets the next one (RX2 after RX1);
 * `finished` gets the result once, with one status per item. Each item is sent under a token of its own, which is
 * answered once. Version 1 gateways never answer: a downlink that was sent counts as OK.
 */
export function createSemtechDownlinks(needs: {
  clock: Clock;
  /** Returns the address that it was sent to; null: the gateway cannot be reached. */
  transmit: (gatewayID: string, token: number, item: gw.DownlinkFrameItem) => string | null;
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

  /** The token of the frame, else the next one that is not in use; null when all are. */
  function freeToken(gatewayID: string, wanted: number): number | null {
    for (let tried = 0; tried < tokens; tried += 1) {
      const token = (wanted + tried) % tokens;
      if (!sent.has(keyOf(gatewayID, token))) return token;
    }
    return null;
  }

  /** The token and the address under which an item was sent; null: it could not be sent. */
  function leave(gatewayID: string, wanted: number, item: gw.DownlinkFrameItem | undefined) {
    const token = freeToken(gatewayID, wanted);
    if (!item || token === null) return null;
    const to = needs.transmit(gatewayID, token, item);
    return to === null ? null : { token, to };
  }

  return {
    send(gatewayID: string, version: Version, frame: gw.DownlinkFrame): boolean {
      forgetOld();
      const left = leave(gatewayID, frame.token, frame.items[0]);
      if (!left) return false;
      const { token, to } = left;
      const one: Sent = { frame, trying: 0, statuses: [], to, until: needs.clock.monotonicMs() + rememberMs };
      if (version === 2) sent.set(keyOf(gatewayID, token), one);
      else finish(gatewayID, { ...one, statuses: ['OK'] });
      return true;
    },
    /** `unknown`: nothing waits under this token. `foreign`: the downlink was sent to another address. */
    acknowledge(packet: TxAck, from: string): 'taken' | 'unknown' | 'foreign' {
      forgetOld();
      const { gatewayID } = packet;
      const key = keyOf(gatewayID, packet.token);
      const one = sent.get(key);
      if (!one) return 'unknown';
      if (one.to !== from) return 'foreign';
      const status = txAckStatusOf(packet);
      needs.answered(gatewayID, status);
      one.statuses[one.trying] = status;
      one.trying += 1;
      const left = status === 'OK' ? null : leave(gatewayID, (packet.token + 1) % tokens, one.frame.items[one.trying]);
      sent.delete(key);
      if (left) sent.set(keyOf(gatewayID, left.token), { ...one, to: left.to });
      else finish(gatewayID, one);
      return 'taken';
    },
  };
}
