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

export type Exchange = ReturnType<typeof createExchange>;

export function createExchange({ networkServerOf, gateways, clock, log, count, mostGateways = 50_000 }: LinkNeeds) {
  const lookups = createKeyedQueues();
  const warn = createOccasionalLog(clock, log);
  /** Counts per gateway, ordered by their first count. */
  const traffic = new Map<string, TrafficCount>();

  function trafficOf(gatewayID: string): TrafficCount {
    const known = traffic.get(gatewayID);
    if (known) return known;
    const counted = createTrafficCount();
    if (traffic.size >= mostGateways) traffic.delete(traffic.keys().next().value!);
    traffic.set(gatewayID, counted);
    return counted;
  }

  function warnRejected(gatewayID: string, error: unknown): void {
    warn('network', { err: error, gatewayID }, 'The network server could not take a report.');
  }

  /** Runs work with the network of a gateway in the background; `otherwise` when it has none. */
  function follow(
    { gatewayID, address }: { gatewayID: string; address?: string },
    work: (network: GatewayNetwork) => Promise<void>,
    otherwise?: () => void,
  ): void {
    networkServerOf(gatewayID, address)
      .then((network) => (network ? work(network) : otherwise?.()))
      .catch((error: unknown) => warnRejected(gatewayID, error));
  }

  /** A sender without proof is ignored while the gateway is connected by another link with proof. */
  function isWithoutProof(gatewayID: string, { link, isProven }: MessageSender): boolean {
    const holder = gateways.of(gatewayID);
    if (!holder?.isProven || isProven || holder.link === link) return false;
    count('gateway_messages_foreign');
    warn(`feigned/${gatewayID}`, { gatewayID, link }, 'Somebody speaks for a gateway that is connected with proof.');
    return true;
  }

  return {
    warn,
    follow,
    /**
     * Resolves in the order of the calls: the first look-ups of a gateway read the database, and a later uplink must
     * not reach the journal earlier, because the counter of its device would then seem to decrease.
     */
    async networkOf(gatewayID: string, address?: string): Promise<GatewayNetwork | null> {
      let found: GatewayNetwork | null = null;
      await lookups.run(gatewayID, async () => {
        found = await networkServerOf(gatewayID, address);
      });
      return found;
    },
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
      if (isWithoutProof(gatewayID, speaker)) return;
      const counted = trafficOf(gatewayID);
      for (const { txInfo } of frames) if (txInfo) counted.received(txInfo, network.isPlanned(txInfo));
      await network.receive(frames);
      network.gatewaySeen(gatewayID, frames[0]?.rxInfo?.time).catch((error: unknown) => warnRejected(gatewayID, error));
    },
    /** Passes a report of a gateway on, with the counts of this link since the last one. */
    async report(
      gatewayID: string,
      speaker: MessageSender,
      network: GatewayNetwork,
      stats: gw.GatewayStats,
    ): Promise<void> {
      if (isWithoutProof(gatewayID, speaker)) return;
      // A Basics Station reports nothing: the link creates its statistics, with our clock.
      await network.gatewayStats(trafficOf(gatewayID).attach(stats), speaker.link !== 'basics-station');
    },
    /** Call it when a gateway has got one item of a downlink. */
    noteSent(gatewayID: string, { txInfo }: gw.DownlinkFrameItem): void {
      if (txInfo) trafficOf(gatewayID).sent(txInfo);
      count('gateway_downlinks');
    },
    /** Call it when a gateway reports the status of one item. */
    noteStatus(gatewayID: string, status: gw.TxAckStatus): void {
      trafficOf(gatewayID).answered(status);
    },
    /**
     * Handles the result of a downlink. A report that does not arrive on the path of the gateway is counted and
     * ignored.
     */
    handleResult(gatewayID: string, path: GatewayPath, ack: gw.DownlinkTXAck): void {
      if (gateways.isAnswerForOthers(ack)) return;
      if (gateways.of(gatewayID) !== path) return count('gateway_acks_foreign');
      follow({ gatewayID }, async (network) => network.transmitted(ack));
    },
  };
}
