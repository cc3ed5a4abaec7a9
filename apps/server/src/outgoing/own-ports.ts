import type { Config } from '../config.ts';

/** Where this server listens by TCP: nothing that somebody fills in leads back to it. */
export function ownPortsOf({ http, basicsStation, grpc, joinServer, mqtt, mqtts }: Config): number[] {
  return [http, basicsStation, grpc, joinServer, mqtt, mqtts].flatMap((address) => (address ? [address.port] : []));
}
