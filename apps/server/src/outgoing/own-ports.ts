import type { Config } from '../config.ts';
import type { Closed } from './outgoing.ts';

/** Where this server listens by TCP: nothing that somebody fills in leads back to it. */
export function ownPortsOf({ http, basicsStation, grpc, joinServer, mqtt, mqtts }: Config): number[] {
  return [http, basicsStation, grpc, joinServer, mqtt, mqtts].flatMap((address) => (address ? [address.port] : []));
}

/** What this server keeps its data in, and what it shares with its other instances. */
export function ownServersOf({ databaseURL, redisURL }: Pick<Config, 'databaseURL' | 'redisURL'>): Closed[] {
  const server = (url: string, usualPort: number, what: string): Closed[] => {
    const { hostname, port } = URL.parse(url) ?? { hostname: '', port: '' };
    const host = hostname.replace(/^\[(.*)\]$/, '$1');
    return host === '' ? [] : [{ host, port: Number(port || usualPort), what }];
  };
  return [...server(databaseURL, 5432, 'the database'), ...server(redisURL, 6379, 'the Redis')];
}
