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
import { regionOf } from '../resources/network-server/embedded.ts';
import type { Secrets } from '../secrets.ts';
import { createRandom } from './random.ts';
import type { GatewaySettings } from './settings.ts';
import { createNetworkState } from './state.ts';

/** How a link finds the network server of a gateway, and what it tells of what happens. */
export type LinkContext = Pick<LinkNeeds, 'networkServerOf' | 'isBehind' | 'count' | 'log'>;

/** The UDP port, listened to before the network servers run. */
export interface HeldGateways {
  gateways: GatewayPaths;
  port: number;
  /** Of uplinks, with those whose gateways were told that they arrived. */
  heard: () => { kept: number; dropped: number };
  /** From now on what arrives waits, unanswered. Resolves when all that came before is in the journals. */
  pause: () => Promise<void>;
  /** The same socket goes on with network servers that run, and with what waited. */
  handOver: (to: LinkContext) => SemtechUdp;
  stop: () => Promise<void>;
}

/**
 * Takes the UDP port and keeps what known gateways hear in the journals of network servers that do not run yet. A gateway
 * is told that its uplinks arrived once they are on disk, strangers are told nothing. Rejects when the port is taken.
 */
export async function holdGateways(
  needs: { config: Pick<GatewaySettings, 'udp'>; database: Database; secrets: Secrets },
  log: Log,
): Promise<HeldGateways> {
  const heard = { kept: 0, dropped: 0 };
  const count: Count = (name, _labels, by = 1) => {
    if (name === 'uplink_copies') heard.kept += by;
    else if (name === 'gateway_datagrams_dropped') heard.dropped += by;
  };
  const networks = await heldNetworks(needs, count);
  const placeOf = await placesOfGateways(needs.database);
  const gateways = createGatewayPaths();
  let now: LinkContext = {
    networkServerOf: async (gatewayID) => {
      const network = networks.get(placeOf.get(gatewayID) ?? 0);
      // Told null, the link would answer a stranger that its uplink arrived; this one may be known a moment later.
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
    heard: () => heard,
    pause: async () => {
      now = { ...now, networkServerOf: async (...gateway) => (await handed.promise).networkServerOf(...gateway) };
      // Who was told a network a moment ago gives it what it has first.
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

async function heldNetworks(
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

async function placesOfGateways({ query }: Database): Promise<ReadonlyMap<string, number>> {
  const rows = await query
    .selectFrom('ns_record')
    .select(['id', 'network_server_id'])
    .where('kind', '=', 'gateway')
    .execute();
  return new Map(rows.map((row) => [row.id, Number(row.network_server_id)]));
}
