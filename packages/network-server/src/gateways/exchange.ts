/** What every link does with what its gateways say and are told: in their order, on disk before acknowledged, counted. */
import type { gw } from '@hilltop/protobuf';
import { createKeyedQueues } from '../platform/keyed-queues.ts';
import { createOccasionalLog } from '../platform/occasional-log.ts';
import type { GatewayNetwork, LinkNeeds } from './link.ts';
import type { GatewayPath } from './paths.ts';
import { createTrafficCount, type TrafficCount } from './traffic-count.ts';

/** By what a gateway, or whoever claims to be it, says something. */
type Speaker = Pick<GatewayPath, 'link' | 'isProven'>;

export type Exchange = ReturnType<typeof createExchange>;

export function createExchange({ networkServerOf, gateways, clock, log, count, mostGateways = 50_000 }: LinkNeeds) {
  const lookups = createKeyedQueues();
  const warn = createOccasionalLog(clock, log);
  /** The gateway that was first counted longest ago first. */
  const traffic = new Map<string, TrafficCount>();

  function trafficOf(gatewayID: string): TrafficCount {
    const known = traffic.get(gatewayID);
    if (known) return known;
    const counted = createTrafficCount();
    if (traffic.size >= mostGateways) traffic.delete(traffic.keys().next().value!);
    traffic.set(gatewayID, counted);
    return counted;
  }

  function notTold(gatewayID: string, error: unknown): void {
    warn('network', { err: error, gatewayID }, 'The network server could not take a report.');
  }

  /** Does something with the network of a gateway that nobody waits for; `otherwise` when there is none. */
  function follow(
    { gatewayID, address }: { gatewayID: string; address?: string },
    work: (network: GatewayNetwork) => Promise<void>,
    otherwise?: () => void,
  ): void {
    networkServerOf(gatewayID, address)
      .then((network) => (network ? work(network) : otherwise?.()))
      .catch((error: unknown) => notTold(gatewayID, error));
  }

  /** Who merely knows an EUI has no say while another link has the gateway, and it proved there who it is. */
  function isFeigned(gatewayID: string, { link, isProven }: Speaker): boolean {
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
     * Answers in the order of asking: the first look-ups of a gateway read the database, and what it heard later must not
     * reach the journal earlier, because its device's counter would then seem to run backwards.
     */
    async networkOf(gatewayID: string, address?: string): Promise<GatewayNetwork | null> {
      let found: GatewayNetwork | null = null;
      await lookups.run(gatewayID, async () => {
        found = await networkServerOf(gatewayID, address);
      });
      return found;
    },
    /** Resolves when what one gateway heard is in the journal; rejects when it was not taken. */
    async receive(
      gatewayID: string,
      speaker: Speaker,
      network: GatewayNetwork,
      frames: gw.UplinkFrame[],
    ): Promise<void> {
      if (isFeigned(gatewayID, speaker)) return;
      const counted = trafficOf(gatewayID);
      for (const { txInfo } of frames) if (txInfo) counted.received(txInfo, network.isPlanned(txInfo));
      await network.receive(frames);
      network.gatewaySeen(gatewayID, frames[0]?.rxInfo?.time).catch((error: unknown) => notTold(gatewayID, error));
    },
    /** Hands on what a gateway says of itself, with what was counted here since the last time. */
    async report(gatewayID: string, speaker: Speaker, network: GatewayNetwork, stats: gw.GatewayStats): Promise<void> {
      if (isFeigned(gatewayID, speaker)) return;
      // A Basics Station reports nothing: the link makes its statistics, by our clock.
      await network.gatewayStats(trafficOf(gatewayID).attach(stats), speaker.link !== 'basics-station');
    },
    /** One item of a downlink is with the gateway. */
    left(gatewayID: string, { txInfo }: gw.DownlinkFrameItem): void {
      if (txInfo) trafficOf(gatewayID).sent(txInfo);
      count('gateway_downlinks');
    },
    /** What the gateway says of one item. */
    answered(gatewayID: string, status: gw.TxAckStatus): void {
      trafficOf(gatewayID).answered(status);
    },
    /** What became of a downlink. Said by anybody but the holder of the path, it is counted and forgotten. */
    finished(gatewayID: string, path: GatewayPath, ack: gw.DownlinkTXAck): void {
      if (gateways.isAnswerForOthers(ack)) return;
      if (gateways.of(gatewayID) !== path) return count('gateway_acks_foreign');
      follow({ gatewayID }, async (network) => network.transmitted(ack));
    },
  };
}
