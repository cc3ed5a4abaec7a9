import { environmentName } from '../environment-name.ts';
import type { Address } from '../setting-schemas.ts';
import type { StorageSettings } from '../storage-settings.ts';
import type { Closed } from './outgoing.ts';

/** The settings that say where a server listens by TCP, and what for. */
const byTCP = {
  http: 'HTTP',
  basicsStation: 'Basics Station',
  grpc: 'gRPC',
  joinServer: 'Join-servers',
  mqtt: 'MQTT',
  mqtts: 'MQTT with TLS',
} as const;

export type TCPListeners = Readonly<Record<keyof typeof byTCP, Address | null>>;

/** Where this server listens by TCP: nothing that somebody fills in leads back to it. */
export function ownPortsOf(config: TCPListeners): number[] {
  return (Object.keys(byTCP) as (keyof typeof byTCP)[]).flatMap((setting) => config[setting]?.port ?? []);
}

/** One TCP listener of a server; `setting` names where its address comes from. */
export interface ListeningAddress {
  setting: string;
  address: Address;
}

/** The addresses at which a server with these settings listens by TCP. With a broker elsewhere it has no MQTT listener. */
export const listeningAddressesOf = (config: TCPListeners & { mqttURL: string }): ListeningAddress[] =>
  (Object.keys(byTCP) as (keyof typeof byTCP)[]).flatMap((setting) => {
    const address = config[setting];
    const isUnused = config.mqttURL !== '' && (setting === 'mqtt' || setting === 'mqtts');
    return address && !isUnused ? { setting: environmentName(setting), address } : [];
  });

/** The same for people, gateways' packet forwarders among them: `HTTP 0.0.0.0:8080`. */
export function listensAt(config: TCPListeners & { udp: Address }): string[] {
  return Object.entries({ ...byTCP, udp: 'Packet forwarders (UDP)' } as const).flatMap(([setting, what]) => {
    const address = config[setting as keyof typeof byTCP | 'udp'];
    if (!address) return [];
    const host = address.host.includes(':') ? `[${address.host}]` : address.host;
    return `${what} ${host}:${address.port}`;
  });
}

/** What this server keeps its data in, and what it shares with its other instances. */
export function ownServersOf({ databaseURL, redisURL }: Pick<StorageSettings, 'databaseURL' | 'redisURL'>): Closed[] {
  const server = (url: string, usualPort: number, what: string): Closed[] => {
    const { hostname, port } = URL.parse(url) ?? { hostname: '', port: '' };
    const host = hostname.replace(/^\[(.*)\]$/, '$1');
    return host === '' ? [] : [{ host, port: Number(port || usualPort), what }];
  };
  return [...server(databaseURL, 5432, 'the database'), ...server(redisURL, 6379, 'the Redis')];
}
