/**
 * The common part of all links: it handles gateway messages in order, stores uplinks before they are acknowledged, and
 * counts traffic.
 */
import type { gw } from '@hilltop/protobuf';
import { createKeyedQueues } from '../platform/keyed-queues.ts';
import { createOccasionalLog } from '../platform/occasional-log.ts';
import type { GatewayNetwork, LinkNeeds } from './link.ts';
import type { GatewayPath } from './paths.ts';
import { createTrafficCount, type TrafficCount } from './traffic-count.ts';

/** The link and the proof of the sender of a message. */
type MessageSender = Pick<GatewayPath, 'link' | 'isProven'>;

export function createExchange(needs: LinkNeeds): Exchange {
  return new Exchange(needs);
}

export class Exchange {
  readonly #networkServerOf: LinkNeeds['networkServerOf'];
  readonly #gateways: LinkNeeds['gateways'];
  readonly #signs: LinkNeeds['signs'];
  readonly #count: LinkNeeds['count'];
  readonly #mostGateways: number;
  readonly #lookups = createKeyedQueues();
  readonly warn: ReturnType<typeof createOccasionalLog>;
  /** Counts per gateway, ordered by their first count. */
  readonly #traffic = new Map<string, TrafficCount>();

  constructor({ networkServerOf, gateways, signs, clock, log, count, mostGateways = 50_000 }: LinkNeeds) {
    this.#networkServerOf = networkServerOf;
    this.#gateways = gateways;
    this.#signs = signs;
    this.#count = count;
    this.#mostGateways = mostGateways;
    this.warn = createOccasionalLog(clock, log);
  }

  /** Runs work with the network of a gateway in the background; `otherwise` when it has none. */
  follow(
    { gatewayID, address }: { gatewayID: string; address?: string },
    work: (network: GatewayNetwork) => Promise<void>,
    otherwise?: () => void,
  ): void {
    this.#networkServerOf(gatewayID, address)
      .then((network) => (network ? work(network) : otherwise?.()))
      .catch((error: unknown) => this.#warnRejected(gatewayID, error));
  }

  /**
   * Resolves in the order of the calls: the first look-ups of a gateway read the database, and a later uplink must not
   * reach the journal earlier, because the counter of its device would then seem to decrease.
   */
  async networkOf(gatewayID: string, address?: string): Promise<GatewayNetwork | null> {
    let found: GatewayNetwork | null = null;
    await this.#lookups.run(gatewayID, async () => {
      found = await this.#networkServerOf(gatewayID, address);
    });
    return found;
  }

  /** Call it for each message of a gateway that has a network. A sender without proof does not keep a proven one alive. */
  noteSign(gatewayID: string, speaker: MessageSender): void {
    if (!this.#isFeigned(gatewayID, speaker)) this.#signs?.received(gatewayID, speaker.link);
  }

  /** Call it when a connection has closed its path. */
  noteEnd(gatewayID: string, reason: string): void {
    if (!this.#gateways.has(gatewayID)) this.#signs?.ended(gatewayID, reason);
  }

  /**
   * Resolves when the uplinks are in the journal, or when they are ignored because a proven gateway has another link;
   * rejects when they were not stored.
   */
  async receive(
    gatewayID: string,
    speaker: MessageSender,
    network: GatewayNetwork,
    frames: gw.UplinkFrame[],
  ): Promise<void> {
    if (this.#isWithoutProof(gatewayID, speaker)) return;
    const counted = this.#trafficOf(gatewayID);
    for (const { txInfo } of frames) if (txInfo) counted.received(txInfo, network.isPlanned(txInfo));
    await network.receive(frames);
    network
      .gatewaySeen(gatewayID, frames[0]?.rxInfo?.time)
      .catch((error: unknown) => this.#warnRejected(gatewayID, error));
  }

  /** Passes frames on that are received and dropped, because their checksum is wrong. */
  receiveUnreadable(
    gatewayID: string,
    speaker: MessageSender,
    network: GatewayNetwork,
    frames: readonly { txInfo: gw.UplinkTXInfo; size: number }[],
  ): void {
    if (frames.length > 0 && !this.#isWithoutProof(gatewayID, speaker)) network.receivedUnreadable?.(gatewayID, frames);
  }

  /** Passes a report of a gateway on, with the counts of this link since the last one. */
  async report(
    gatewayID: string,
    speaker: MessageSender,
    network: GatewayNetwork,
    stats: gw.GatewayStats,
  ): Promise<void> {
    if (this.#isWithoutProof(gatewayID, speaker)) return;
    // A Basics Station reports nothing: the link creates its statistics, with our clock.
    await network.gatewayStats(this.#trafficOf(gatewayID).attach(stats), speaker.link !== 'basics-station');
  }

  /** Call it when a gateway has got one item of a downlink. */
  noteSent(gatewayID: string, { txInfo }: gw.DownlinkFrameItem): void {
    if (txInfo) this.#trafficOf(gatewayID).sent(txInfo);
    this.#count('gateway_downlinks');
  }

  /** Call it when a gateway reports the status of one item. */
  noteStatus(gatewayID: string, status: gw.TxAckStatus): void {
    this.#trafficOf(gatewayID).answered(status);
  }

  /**
   * Handles the result of a downlink. A report that does not arrive on the path of the gateway is counted and ignored.
   */
  handleResult(gatewayID: string, path: GatewayPath, ack: gw.DownlinkTXAck): void {
    if (this.#gateways.isAnswerForOthers(ack)) return;
    if (this.#gateways.of(gatewayID) !== path) return this.#count('gateway_acks_foreign');
    this.follow({ gatewayID }, async (network) => network.transmitted(ack));
  }

  #trafficOf(gatewayID: string): TrafficCount {
    const known = this.#traffic.get(gatewayID);
    if (known) return known;
    const counted = createTrafficCount();
    if (this.#traffic.size >= this.#mostGateways) this.#traffic.delete(this.#traffic.keys().next().value!);
    this.#traffic.set(gatewayID, counted);
    return counted;
  }

  #warnRejected(gatewayID: string, error: unknown): void {
    this.warn('network', { err: error, gatewayID }, 'The network server could not take a report.');
  }

  /** A sender without proof is ignored while the gateway is connected by another link with proof. */
  #isWithoutProof(gatewayID: string, speaker: MessageSender): boolean {
    const { link } = speaker;
    if (!this.#isFeigned(gatewayID, speaker)) return false;
    this.#count('gateway_messages_foreign');
    this.warn(
      `feigned/${gatewayID}`,
      { gatewayID, link },
      'Somebody speaks for a gateway that is connected with proof.',
    );
    return true;
  }

  #isFeigned(gatewayID: string, { link, isProven }: MessageSender): boolean {
    const holder = this.#gateways.of(gatewayID);
    return holder?.isProven === true && !isProven && holder.link !== link;
  }
}
