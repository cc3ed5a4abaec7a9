/** Handles the reports of a gateway: its location, its contact time, and its counters for the application. */
import { dataRateOf } from '@hilltop/lorawan';
import { as as callbacks, create, gw } from '@hilltop/protobuf';
import { effectOf } from '../network/effect-of.ts';
import type { Network } from '../network/network.ts';
import { otherFrequency } from '../radio/frequency-plan.ts';
import { isClockRight } from '../radio/gateway-clocks.ts';
import { modulationOfUplink } from '../radio/modulation.ts';
import type { Write } from '../state/state.ts';
import { configurationOf } from './gateway-configuration.ts';

/** `isGatewayTime`: the time of the report comes from the gateway itself. */
export async function noteGatewayStats(network: Network, stats: gw.GatewayStats, isGatewayTime = false): Promise<void> {
  const { plan } = network;
  const gatewayID = stats.gatewayID.toHex();
  const gateway = await network.state.get('gateway', gatewayID);
  if (!gateway) return network.count('gateway_stats_unknown');
  if (isGatewayTime && stats.time) network.gatewayClocks.note(gatewayID, stats.time);
  const writes: Write[] = [await contactWrite(network, gatewayID)];
  const { location } = stats;
  if (location && !isSamePlace(location, gateway.location)) {
    writes.push({ kind: 'saveRecord', of: 'gateway', id: gatewayID, value: { ...gateway, location } });
  }
  const effect = network.applicationServer.handleGatewayStats(
    create(callbacks.HandleGatewayStatsRequest, {
      gatewayId: stats.gatewayID,
      statsId: stats.statsID,
      time: stats.time,
      location,
      rxPacketsReceived: stats.rxPacketsReceived,
      rxPacketsReceivedOk: stats.rxPacketsReceivedOK,
      txPacketsReceived: stats.txPacketsReceived,
      txPacketsEmitted: stats.txPacketsEmitted,
      metadata: stats.ip ? { ...stats.metaData, ip: stats.ip } : stats.metaData,
      txPacketsPerFrequency: perFrequency(plan.down, stats.txPacketsPerFrequency),
      rxPacketsPerFrequency: perFrequency(plan.up, stats.rxPacketsPerFrequency),
      txPacketsPerDr: perDataRate(network, stats.txPacketsPerModulation, 'down'),
      rxPacketsPerDr: perDataRate(network, stats.rxPacketsPerModulation, 'up'),
      txPacketsPerStatus: perStatus(stats.txPacketsPerStatus),
    }),
  );
  await network.state.commit({ writes, effects: await effectOf(network, effect, '') });
  await configure(network, gatewayID, stats);
}

/** Configures a gateway that reports another version than that of its profile. */
async function configure(network: Network, gatewayID: string, { configVersion }: gw.GatewayStats): Promise<void> {
  const path = network.gateways.of(gatewayID);
  if (!path?.configure) return;
  const configuration = await configurationOf(network, gatewayID);
  if (configuration.version === '' || configuration.version === configVersion) return;
  network.count('gateway_configurations');
  path.configure(configuration);
}

/** The write that stores the contact time of a gateway, and how far its clock differs from ours. */
export async function contactWrite(network: Network, gatewayID: string): Promise<Write> {
  const now = network.clock.now().getTime();
  const seen = await network.state.get('gatewaySeen', gatewayID);
  const clockOffsetMs = network.gatewayClocks.offsetOf(gatewayID) ?? seen?.clockOffsetMs ?? 0;
  if (!isClockRight(network, clockOffsetMs)) network.count('gateway_clocks_off');
  const value = { firstSeenAt: seen?.firstSeenAt ?? now, lastSeenAt: now, clockOffsetMs };
  return { kind: 'saveRecord', of: 'gatewaySeen', id: gatewayID, value };
}

type StatsLocation = { latitude: number; longitude: number; altitude: number; source: string };

function isSamePlace(a: StatsLocation, b: StatsLocation): boolean {
  return a.latitude === b.latitude && a.longitude === b.longitude && a.altitude === b.altitude && a.source === b.source;
}

/** A report has at most as many names as the network has frequencies, whatever the gateway counts. */
function perFrequency(known: ReadonlySet<number>, counts: Record<string, number>): Record<string, number> {
  return added(counts, (name) => (known.has(Number(name)) ? String(Number(name)) : String(otherFrequency)));
}

function perStatus(counts: Record<string, number>): Record<string, number> {
  return added(counts, (name) => (Object.hasOwn(gw.TxAckStatus.numbers, name) ? name : 'INTERNAL_ERROR'));
}

function added(counts: Record<string, number>, nameOf: (name: string) => string): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const [given, count] of Object.entries(counts)) {
    const name = nameOf(given);
    sums[name] = (sums[name] ?? 0) + count;
  }
  return sums;
}

function perDataRate(
  { region }: Network,
  counts: readonly gw.PerModulationCount[],
  direction: 'up' | 'down',
): Record<string, number> {
  const perDR: Record<string, number> = {};
  for (const { modulation, count } of counts) {
    const { loRa, fsk, lrFHSS } = modulation ?? {};
    const known = modulationOfUplink({
      loRaModulationInfo: loRa,
      fskModulationInfo: fsk,
      lrFHSSModulationInfo: lrFHSS,
    });
    const dr = known && dataRateOf(region, known, direction);
    if (dr !== null) perDR[dr] = (perDR[dr] ?? 0) + count;
  }
  return perDR;
}
