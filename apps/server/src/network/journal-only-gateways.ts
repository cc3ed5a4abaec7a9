import { setImmediate } from 'node:timers/promises';
import { region } from '@hilltop/lorawan';
import {
  type Count,
  createGatewayPaths,
  createJournalOnlyNetwork,
  type GatewayPaths,
  type JournalOnlyNetwork,
  type LinkNeeds,
  type Log,
  type SemtechUdp,
  startSemtechUdp,
} from '@hilltop/network-server';
import { systemClock } from '../clock.ts';
import type { Database } from '../database/database.ts';
import type { Secrets } from '../secrets.ts';
import { regionOf } from './embedded-address.ts';
import { createRandom } from './random.ts';
import type { GatewaySettings } from './settings.ts';
import { createNetworkState } from './state.ts';

/** How a link finds the network server of a gateway, and its counters and log. */
export type LinkContext = Pick<LinkNeeds, 'networkServerOf' | 'isBehind' | 'signs' | 'count' | 'log'>;

/** The bound UDP port, before the network servers run. */
export interface JournalOnlyGateways {
  gateways: GatewayPaths;
  port: number;
  /** The number of uplinks that were acknowledged to their gateways, and of dropped ones. */
  counts: () => { stored: number; dropped: number };
  /** Lets new uplinks wait without an acknowledgement. Resolves when all earlier ones are in the journals. */
  pause: () => Promise<void>;
  /** Passes the socket and the waiting uplinks on to running network servers. */
  handOver: (to: LinkContext) => SemtechUdp;
  stop: () => Promise<void>;
}

/**
 * Binds the UDP port and stores the uplinks of known gateways in the journals of network servers that do not run yet.
 * It acknowledges uplinks to a gateway when they are on disk; unknown gateways get no answer. Rejects when the port is
 * in use.
 */
export async function startJournalOnlyGateways(
  needs: { config: Pick<GatewaySettings, 'udp'>; database: Database; secrets: Secrets },
  log: Log,
): Promise<JournalOnlyGateways> {
  const counters = { stored: 0, dropped: 0 };
  const count: Count = (name, _labels, by = 1) => {
    if (name === 'uplink_copies') counters.stored += by;
    else if (name === 'gateway_datagrams_dropped') counters.dropped += by;
  };
  const networks = await journalOnlyNetworks(needs, count);
  const networkOf = await networksOfGateways(needs.database);
  const gateways = createGatewayPaths();
  let now: LinkContext = {
    networkServerOf: async (gatewayID) => {
      const network = networks.get(networkOf.get(gatewayID) ?? 0);
      // With null, the link would acknowledge the uplink to an unknown gateway, which may be registered a moment later.
      if (!network) throw new Error('The gateway is not known yet.');
      return network;
    },
    count,
    log,
  };
  const udp = await startSemtechUdp({
    ...needs.config.udp,
    networkServerOf: (gatewayID, address) => now.networkServerOf(gatewayID, address),
    isBehind: () => now.isBehind?.() === true,
    signs: {
      received: (...sign) => now.signs?.received(...sign),
      ended: (...end) => now.signs?.ended(...end),
    },
    count: (...what) => now.count(...what),
    log: {
      debug: (...line) => now.log.debug(...line),
      info: (...line) => now.log.info(...line),
      warn: (...line) => now.log.warn(...line),
      error: (...line) => now.log.error(...line),
    },
    gateways,
    clock: systemClock,
  });
  const handed = Promise.withResolvers<LinkContext>();
  const settled = async () => {
    for (const network of networks.values()) await network.settled();
  };

  return {
    gateways,
    port: udp.address.port,
    counts: () => counters,
    pause: async () => {
      now = { ...now, networkServerOf: async (...gateway) => (await handed.promise).networkServerOf(...gateway) };
      // Links that just got a network server deliver their uplinks to it first.
      await setImmediate();
      await settled();
    },
    handOver: (to) => {
      now = to;
      handed.resolve(to);
      return udp;
    },
    stop: async () => {
      await udp.stop();
      await settled();
    },
  };
}

async function journalOnlyNetworks(
  needs: { database: Database; secrets: Secrets },
  count: Count,
): Promise<ReadonlyMap<number, JournalOnlyNetwork>> {
  const random = createRandom();
  const networks = new Map<number, JournalOnlyNetwork>();
  for (const row of await needs.database.query.selectFrom('network_server').select(['id', 'server']).execute()) {
    const name = regionOf(row);
    const state = createNetworkState({ ...needs, clock: systemClock }, Number(row.id));
    if (name !== undefined)
      networks.set(Number(row.id), createJournalOnlyNetwork({ region: region(name), state, random, count }));
  }
  return networks;
}

async function networksOfGateways({ query }: Database): Promise<ReadonlyMap<string, number>> {
  const rows = await query
    .selectFrom('ns_record')
    .select(['id', 'network_server_id'])
    .where('kind', '=', 'gateway')
    .execute();
  return new Map(rows.map((row) => [row.id, Number(row.network_server_id)]));
}
