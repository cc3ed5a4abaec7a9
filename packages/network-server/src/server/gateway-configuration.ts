import { createHash } from 'node:crypto';
import { type Channel, defaultUplinkChannels, type GatewayChannel, modulationOf, type Region } from '@hilltop/lorawan';
import { create, gw, toJsonText } from '@hilltop/protobuf';
import type { Network } from '../network/network.ts';
import type { GatewayProfileRecord } from '../state/records.ts';

/**
 * The channels of a gateway and its report interval (`statsInterval` in ms): those of its gateway profile, or without
 * one those of the network with an empty version. The version changes with the content.
 */
export async function configurationOf(network: Network, gatewayID: string): Promise<gw.GatewayConfiguration> {
  const { state } = network;
  const profileID = (await state.get('gateway', gatewayID))?.gatewayProfileID;
  const profile = profileID ? await state.get('gatewayProfile', profileID) : null;
  const configuration = create(gw.GatewayConfiguration, {
    gatewayID: Uint8Array.fromHex(gatewayID),
    channels: (profile ? channelsOfProfile(network, profile) : channelsOfNetwork(network)).map(channelOf),
    statsInterval: profile?.statsIntervalMs || defaultStatsIntervalMs,
  });
  if (!profile) return configuration;
  const text = toJsonText(gw.GatewayConfiguration, { ...configuration, gatewayID: new Uint8Array() });
  return { ...configuration, version: createHash('sha256').update(text).digest('hex').slice(0, 16) };
}

const defaultStatsIntervalMs = 30_000;

function channelsOfProfile({ region }: Network, { channels, extraChannels }: GatewayProfileRecord): GatewayChannel[] {
  const named = defaultUplinkChannels(region).filter(({ index }) => channels.includes(index));
  const extra = extraChannels.flatMap(
    ({ modulation, frequency, bandwidth, bitrate, spreadingFactors }): GatewayChannel[] => {
      if (modulation === 'LR_FHSS') return [];
      return modulation === 'FSK'
        ? [{ modulation, frequency, bandwidth, datarate: bitrate }]
        : [{ modulation, frequency, bandwidth, spreadingFactors }];
    },
  );
  return [...named.flatMap((channel) => channelOfRegion(region, channel)), ...extra];
}

/** A fixed plan has more channels than a concentrator: uses the first enabled ones. */
function channelsOfNetwork({ region, wanted }: Network): readonly GatewayChannel[] {
  if (region.channelPlan === 'dynamic') {
    const own = region.gatewayChannels;
    const extra = wanted.extraChannels.filter(({ frequency }) => !own.some((known) => known.frequency === frequency));
    return [...own, ...extra.flatMap((channel) => channelOfRegion(region, channel))];
  }
  const enabled = defaultUplinkChannels(region).filter(({ index }) => wanted.enabledChannels.includes(index));
  const channels = enabled.flatMap((channel) => channelOfRegion(region, channel));
  const narrow = channels.filter(({ bandwidth }) => bandwidth === 125).slice(0, mostNarrow);
  return [...narrow, ...channels.filter(({ bandwidth }) => bandwidth !== 125).slice(0, 1)];
}

/** The number of 125 kHz channels that one concentrator receives at once. */
const mostNarrow = 8;

/** A channel with all LoRa data-rates of its narrowest bandwidth; none when it has no LoRa data-rate. */
function channelOfRegion(region: Region, { frequency, minDR, maxDR }: Channel): GatewayChannel[] {
  const spreadingFactors: number[] = [];
  let bandwidth = 0;
  for (let dr = minDR; dr <= maxDR; dr += 1) {
    if (!region.dataRates[dr]) continue;
    const modulation = modulationOf(region, dr);
    if (modulation.modulation !== 'LORA' || (bandwidth !== 0 && modulation.bandwidth !== bandwidth)) continue;
    bandwidth = modulation.bandwidth;
    spreadingFactors.push(modulation.spreadingFactor);
  }
  spreadingFactors.sort((a, b) => a - b);
  return bandwidth === 0 ? [] : [{ modulation: 'LORA', frequency, bandwidth, spreadingFactors }];
}

function channelOf(channel: GatewayChannel): gw.ChannelConfiguration {
  const { modulation, frequency, bandwidth } = channel;
  const config =
    channel.modulation === 'LORA'
      ? { loRaModulationConfig: { bandwidth, spreadingFactors: [...channel.spreadingFactors] } }
      : { fskModulationConfig: { bandwidth, bitrate: channel.datarate } };
  return create(gw.ChannelConfiguration, { modulation, frequency, ...config });
}
