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

interface SemtechDownlinksDependencies {
  clock: Clock;
  /** Returns the address that it was sent to; null: the gateway cannot be reached. */
  transmit: (gatewayID: string, token: number, item: gw.DownlinkFrameItem) => string | null;
  answered: (gatewayID: string, status: gw.TxAckStatus) => void;
  finished: (gatewayID: string, ack: gw.DownlinkTXAck) => void;
}

/**
 * Downlinks that wait for their TX_ACK. When a gateway refuses an item, it gets the next one (RX2 after RX1);
 * `finished` gets the result once, with one status per item. Each item is sent with its own token, which is answered
 * once. Version 1 gateways never answer: a downlink that was sent counts as OK.
 */
export class SemtechDownlinks {
  readonly #needs: SemtechDownlinksDependencies;
  readonly #sent = new Map<string, SentDownlink>();

  constructor(needs: SemtechDownlinksDependencies) {
    this.#needs = needs;
  }

  send(gatewayID: string, version: Version, frame: gw.DownlinkFrame): boolean {
    this.#forgetOld();
    const transmitted = this.#transmitItem(gatewayID, frame.token, frame.items[0]);
    if (!transmitted) return false;
    const { token, to } = transmitted;
    const downlink: SentDownlink = {
      frame,
      itemIndex: 0,
      statuses: [],
      to,
      until: this.#needs.clock.monotonicMs() + rememberMs,
    };
    if (version === 2) this.#sent.set(keyOf(gatewayID, token), downlink);
    else this.#finish(gatewayID, { ...downlink, statuses: ['OK'] });
    return true;
  }

  /** `unknown`: no downlink waits with this token. `foreign`: the downlink was sent to another address. */
  acknowledge(packet: TxAck, from: string): 'accepted' | 'unknown' | 'foreign' {
    this.#forgetOld();
    const { gatewayID } = packet;
    const key = keyOf(gatewayID, packet.token);
    const downlink = this.#sent.get(key);
    if (!downlink) return 'unknown';
    if (downlink.to !== from) return 'foreign';
    const status = txAckStatusOf(packet);
    this.#needs.answered(gatewayID, status);
    downlink.statuses[downlink.itemIndex] = status;
    downlink.itemIndex += 1;
    const transmitted =
      status === 'OK'
        ? null
        : this.#transmitItem(gatewayID, (packet.token + 1) % tokens, downlink.frame.items[downlink.itemIndex]);
    this.#sent.delete(key);
    if (transmitted) this.#sent.set(keyOf(gatewayID, transmitted.token), { ...downlink, to: transmitted.to });
    else this.#finish(gatewayID, downlink);
    return 'accepted';
  }

  #forgetOld(): void {
    const now = this.#needs.clock.monotonicMs();
    for (const [key, downlink] of this.#sent) {
      if (downlink.until > now) return;
      this.#sent.delete(key);
    }
  }

  #finish(gatewayID: string, { frame, statuses }: SentDownlink): void {
    const items = frame.items.map((_, index) => ({ status: statuses[index] ?? ('IGNORED' as const) }));
    const { token, downlinkID } = frame;
    this.#needs.finished(
      gatewayID,
      create(gateway.DownlinkTXAck, { gatewayID: frame.gatewayID, token, downlinkID, items }),
    );
  }

  /** The token of the frame, else the next one that is not in use; null when all are. */
  #freeToken(gatewayID: string, wanted: number): number | null {
    for (let tried = 0; tried < tokens; tried += 1) {
      const token = (wanted + tried) % tokens;
      if (!this.#sent.has(keyOf(gatewayID, token))) return token;
    }
    return null;
  }

  /** Sends an item and returns its token and address; null: it could not be sent. */
  #transmitItem(gatewayID: string, wanted: number, item: gw.DownlinkFrameItem | undefined) {
    const token = this.#freeToken(gatewayID, wanted);
    if (!item || token === null) return null;
    const to = this.#needs.transmit(gatewayID, token, item);
    return to === null ? null : { token, to };
  }
}

const keyOf = (gatewayID: string, token: number) => `${gatewayID}/${token}`;
