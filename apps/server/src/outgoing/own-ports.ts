import { environmentName } from '../environment-name.ts';
import type { Address } from '../setting-schemas.ts';
import type { StorageSettings } from '../storage-settings.ts';
import type { ProtectedServer } from './outgoing.ts';

/** The TCP listeners by their settings, as users see them. */
const tcpListeners = {
  http: 'HTTP',
  basicsStation: 'Basics Station',
  grpc: 'gRPC',
  joinServer: 'Join-servers',
  mqtt: 'MQTT',
  mqtts: 'MQTT with TLS',
} as const;

const tcpSettings = Object.keys(tcpListeners) as (keyof typeof tcpListeners)[];

/** The addresses at which a server listens; null: it does not listen there. */
export type TCPListeners = Readonly<Record<keyof typeof tcpListeners, Address | null>>;

/** The TCP ports of this server: no configured address may lead back to them. */
export function ownPortsOf(settings: TCPListeners): number[] {
  return tcpSettings.flatMap((setting) => settings[setting]?.port ?? []);
}

/** One TCP listener, and the setting with its address. */
export interface ListeningAddress {
  setting: string;
  address: Address;
}

/** The TCP listeners of a server with these settings. With an external MQTT broker it does not listen for MQTT. */
export const listeningAddressesOf = (settings: TCPListeners & { mqttURL: string }): ListeningAddress[] =>
  tcpSettings.flatMap((setting) => {
    const address = settings[setting];
    const isUnused = settings.mqttURL !== '' && (setting === 'mqtt' || setting === 'mqtts');
    return address && !isUnused ? { setting: environmentName(setting), address } : [];
  });

/** The ports of listeners once they are open; a setting may leave the choice to the system with port 0. */
export type OpenPorts = Partial<Record<keyof typeof tcpListeners | 'udp', number | undefined>>;

/** All listeners as users see them, that of packet forwarders included: `HTTP 0.0.0.0:8080`. */
export function listensAt(settings: TCPListeners & { udp: Address }, open: OpenPorts): string[] {
  return Object.entries({ ...tcpListeners, udp: 'Semtech UDP' } as const).flatMap(([setting, label]) => {
    const name = setting as keyof OpenPorts;
    const address = settings[name];
    if (!address) return [];
    const host = address.host.includes(':') ? `[${address.host}]` : address.host;
    return `${label} ${host}:${open[name] ?? address.port}`;
  });
}

/** The servers that store the data of this server: no configured address may lead to them. */
export function ownServersOf({
  databaseURL,
  redisURL,
}: Pick<StorageSettings, 'databaseURL' | 'redisURL'>): ProtectedServer[] {
  const serverOf = (url: string, defaultPort: number, description: string): ProtectedServer[] => {
    const { hostname, port } = URL.parse(url) ?? { hostname: '', port: '' };
    const host = hostname.replace(/^\[(.*)\]$/, '$1');
    return host === '' ? [] : [{ host, port: Number(port || defaultPort), description }];
  };
  return [...serverOf(databaseURL, 5432, 'the database'), ...serverOf(redisURL, 6379, 'the Redis')];
}
