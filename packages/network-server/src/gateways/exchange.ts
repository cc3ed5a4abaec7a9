/** What every link does with what its gateways say and are told: in their order, on disk before acknowledged, counted. */
import type { gw } from '@hilltop/protobuf';
import { createLanes } from '../lanes.ts';
import type { GatewayNetwork, LinkNeeds } from './link.ts';
import { createOccasionalLog } from './occasional-log.ts';
import type { GatewayPath } from './paths.ts';
import { createTrafficCount, type TrafficCount } from './traffic-count.ts';

export type Exchange = ReturnType<typeof createExchange>;

export function createExchange({ networkServerOf, gateways, clock, log, count, mostGateways = 50_000 }: LinkNeeds) {
  const lookups = createLanes();
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
    warn('network', { error, gatewayID }, 'The network server could not take a report.');
  }

  /** Does something with the network of a gateway that nobody waits for. */
  function follow(gatewayID: string, work: (network: GatewayNetwork) => Promise<void>): void {
    networkServerOf(gatewayID)
      .then((network) => network && work(network))
      .catch((error: unknown) => notTold(gatewayID, error));
  }

  return {
    warn,
    follow,
    /**
     * Answers in the order of asking: the first look-ups of a gateway read the database, and what it heard later must not
     * reach the journal earlier, because its device's counter would then seem to run backwards.
     */
    async networkOf(gatewayID: string): Promise<GatewayNetwork | null> {
      let found: GatewayNetwork | null = null;
      await lookups.run(gatewayID, async () => {
        found = await networkServerOf(gatewayID);
      });
      return found;
    },
    /** Resolves when what one gateway heard is in the journal; rejects when it was not taken. */
    async receive(gatewayID: string, network: GatewayNetwork, frames: gw.UplinkFrame[]): Promise<void> {
      const counted = trafficOf(gatewayID);
      for (const { txInfo } of frames) if (txInfo) counted.received(txInfo, network.isPlanned(txInfo));
      await network.receive(frames);
      network.gatewaySeen(gatewayID).catch((error: unknown) => notTold(gatewayID, error));
    },
    /** Hands on what a gateway says of itself, with what was counted here since the last time. */
    async report(gatewayID: string, network: GatewayNetwork, stats: gw.GatewayStats): Promise<void> {
      await network.gatewayStats(trafficOf(gatewayID).attach(stats));
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
      if (gateways.of(gatewayID) !== path) return count('gateway_acks_foreign');
      follow(gatewayID, async (network) => network.transmitted(ack));
    },
  };
}
