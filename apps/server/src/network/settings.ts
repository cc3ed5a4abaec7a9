import { channelGroups, regions as loRaWANRegions } from '@hilltop/lorawan';
import { z } from 'zod';
import { address, file, flag, optionalAddress, type SettingsOf, wholeNumber } from '../setting-schemas.ts';

/** Addresses for gateways. Those that use MQTT send to the broker. */
export const gatewaySettings = {
  udp: address.prefault('0.0.0.0:1700').meta({ help: 'address for Semtech UDP packet forwarders' }),
  basicsStation: optionalAddress
    .prefault('0.0.0.0:3001')
    .meta({ help: 'address for LoRa Basics Stations; empty: off' }),
  basicsStationCert: file('TLS certificate (PEM file) of HILLTOP_BASICS_STATION; empty: no TLS'),
  basicsStationKey: file('key (PEM file) of HILLTOP_BASICS_STATION_CERT'),
  basicsStationProof: z
    .enum(['optional', 'required'], { message: 'must be optional or required' })
    .default('optional')
    .meta({
      help: 'required: a station must present a client certificate for its EUI, or an API key of its organization',
    }),
  listUnregistered: flag.default(true).meta({
    help: 'lists devices and gateways that send and are not registered, so that users can register them',
    formerly: 'strangers',
  }),
};
export type GatewaySettings = SettingsOf<typeof gatewaySettings>;

/** Address for calls of remote network servers. */
export const callbackSettings = {
  grpc: optionalAddress
    .prefault('127.0.0.1:8001')
    .meta({ help: 'address for calls of remote network servers (gRPC); empty: off' }),
  grpcPublic: z
    .string()
    .min(1, 'must be an address with a port')
    .default('localhost:8001')
    .meta({ help: 'address of HILLTOP_GRPC as remote network servers reach it' }),
  grpcCA: file('CA (PEM file) that must have signed the client certificates of remote network servers'),
  grpcCert: file('TLS certificate (PEM file) of HILLTOP_GRPC'),
  grpcKey: file('key (PEM file) of HILLTOP_GRPC_CERT'),
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

/** The network servers that a first start creates. */
export const radioSettings = {
  region: regions.prefault('EU868').meta({
    help: 'embedded network servers to create: regions separated by commas, with a sub-band as in US915:2',
    usual: 'EU868',
    mustMatch: true,
  }),
  netID: z
    .string()
    .regex(/^[0-9a-fA-F]{6}$/, 'must be six hexadecimal digits')
    .transform((text) => text.toLowerCase())
    .prefault('000000')
    .meta({ help: 'NetID of embedded network servers without their own', mustMatch: true }),
};
export type RadioDefaults = SettingsOf<typeof radioSettings>;

export const downlinkQueueSettings = {
  queueItems: wholeNumber(1, 10_000)
    .default(100)
    .meta({ help: 'most downlinks in the queue of a device or multicast group' }),
};
export type DownlinkQueueSettings = SettingsOf<typeof downlinkQueueSettings>;
