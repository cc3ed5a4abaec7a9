import { channelGroups, regions as loRaWANRegions } from '@hilltop/lorawan';
import { z } from 'zod';
import { address, file, optionalAddress, type SettingsOf, wholeNumber } from '../setting-schemas.ts';

/** Where gateways send to. Gateways that speak MQTT send to the broker. */
export const gatewaySettings = {
  udp: address.prefault('0.0.0.0:1700').meta({ help: 'gateways: Semtech UDP packet forwarder' }),
  basicsStation: optionalAddress
    .prefault('0.0.0.0:3001')
    .meta({ help: 'gateways: LoRa Basics Station; empty: none are listened to' }),
  basicsStationCert: file('file of the TLS certificate (PEM) of that; without it stations connect without TLS'),
  basicsStationKey: file('file of its key (PEM)'),
  basicsStationProof: z
    .enum(['optional', 'required'], { message: 'must be optional or required' })
    .default('optional')
    .meta({ help: 'required: stations must have a client certificate for their EUI, or an API key' }),
};
export type GatewaySettings = SettingsOf<typeof gatewaySettings>;

/** Where remote network servers call the application server. */
export const callbackSettings = {
  grpc: optionalAddress
    .prefault('127.0.0.1:8001')
    .meta({ help: 'gRPC for remote network servers; empty: none are listened to' }),
  grpcPublic: z
    .string()
    .min(1, 'must be an address with a port')
    .default('localhost:8001')
    .meta({ help: 'the address at which remote network servers find that gRPC' }),
  grpcCA: file('file of the CA (PEM) whose client certificates remote network servers must have'),
  grpcCert: file('file of the TLS certificate (PEM) of that gRPC'),
  grpcKey: file('file of its key (PEM)'),
};
export type CallbackSettings = SettingsOf<typeof callbackSettings>;

const knownRegions = loRaWANRegions.map(({ name }) => name);

/** Such as `EU868` or `US915:2`; undefined when there is no such region or sub-band. */
function regionEntry(text: string): { name: string; subBand: number } | undefined {
  const [, name, subBand = '0'] = /^([^:]+)(?::([1-9]\d?))?$/.exec(text.trim().toUpperCase()) ?? [];
  const known = loRaWANRegions.find((region) => region.name === name);
  if (!known || Number(subBand) > channelGroups(known).length) return undefined;
  return { name: known.name, subBand: Number(subBand) };
}

const regions = z.string().transform((text, context) => {
  const entries = text.split(',').map(regionEntry);
  const found = entries.filter((entry) => entry !== undefined);
  if (found.length === entries.length && new Set(found.map((entry) => JSON.stringify(entry))).size === found.length)
    return found;
  context.addIssue({
    code: 'custom',
    message: `must be a comma separated list of different regions out of ${knownRegions.join(', ')}, some with a sub-band such as US915:2`,
  });
  return z.NEVER;
});

/** The network servers that a new installation begins with. */
export const radioSettings = {
  region: regions.prefault('EU868').meta({
    help: 'embedded network servers to begin with, comma separated: regions, with a sub-band as in US915:2',
    usual: 'EU868',
    mustMatch: true,
  }),
  netID: z
    .string()
    .regex(/^[0-9a-fA-F]{6}$/, 'must be six hexadecimal digits')
    .transform((text) => text.toLowerCase())
    .prefault('000000')
    .meta({ help: 'network identifier of embedded network servers that have none of their own', mustMatch: true }),
};
export type RadioDefaults = SettingsOf<typeof radioSettings>;

export const downlinkQueueSettings = {
  queueItems: wholeNumber(1, 10_000)
    .default(100)
    .meta({ help: 'downlinks that may wait for one device or multicast-group' }),
};
export type DownlinkQueueSettings = SettingsOf<typeof downlinkQueueSettings>;
