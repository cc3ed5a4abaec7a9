import type { GatewayProfile, GatewayProfileExtraChannel } from '@hilltop/contract';
import { formatNumbers, parseNumbers } from '../../components/form/number-list.ts';

/** An extra channel as form values: an empty box is "not given", the spreading-factors are text. */
export interface ExtraChannelValues {
  modulation: GatewayProfileExtraChannel['modulation'];
  bandwidth: number | '';
  frequency: number | '';
  bitrate: number | '';
  spreadingFactors: string;
}

/** A gateway-profile as form values: the interval in seconds, the channels as text. */
export type GatewayProfileValues = Pick<GatewayProfile, 'id' | 'name' | 'networkServerID'> & {
  statsInterval: number | '';
  channels: string;
  extraChannels: ExtraChannelValues[];
};

export const emptyExtraChannel: ExtraChannelValues = {
  modulation: 'LORA',
  bandwidth: 125,
  frequency: '',
  bitrate: '',
  spreadingFactors: '',
};

export const emptyGatewayProfile: GatewayProfile = {
  id: '',
  name: '',
  networkServerID: '',
  statsInterval: '30s',
  channels: [],
  extraChannels: [],
};

export function toValues({ statsInterval, channels, extraChannels, ...profile }: GatewayProfile): GatewayProfileValues {
  return {
    ...profile,
    statsInterval: statsInterval === null ? '' : Number.parseFloat(statsInterval),
    channels: formatNumbers(channels),
    extraChannels: extraChannels.map(({ spreadingFactors, bitrate, ...channel }) => ({
      ...channel,
      bitrate: bitrate || '',
      spreadingFactors: formatNumbers(spreadingFactors),
    })),
  };
}

/** Sends only the fields of an extra channel that its modulation uses. */
export function fromValues({
  statsInterval,
  channels,
  extraChannels,
  ...profile
}: GatewayProfileValues): GatewayProfile {
  return {
    ...profile,
    statsInterval: `${statsInterval || 0}s`,
    channels: parseNumbers(channels),
    extraChannels: extraChannels.map(({ modulation, bandwidth, frequency, bitrate, spreadingFactors }) => ({
      modulation,
      bandwidth: bandwidth || 0,
      frequency: frequency || 0,
      bitrate: modulation === 'FSK' ? bitrate || 0 : 0,
      spreadingFactors: modulation === 'LORA' ? parseNumbers(spreadingFactors) : [],
    })),
  };
}
