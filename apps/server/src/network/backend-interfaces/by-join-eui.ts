import type { Count, JoinServer } from '@hilltop/network-server';
import type { Logger } from 'pino';
import type { KeyEnvelopes } from '../../key-envelopes.ts';
import { readPair, readPEM } from '../../pem-file.ts';
import { type ClosableJoinServer, joinServerElsewhere } from './client.ts';
import type { JoinEUIRange, JoinServerSetting } from './settings.ts';

/**
 * The embedded join server, except for the JoinEUIs that settings assign to external join servers: the narrowest range
 * applies. Throws StartError when a file cannot be used.
 */
export async function joinServerByJoinEUI(
  own: JoinServer,
  settings: readonly JoinServerSetting[],
  needs: { envelopes: KeyEnvelopes; log: Logger; count: Count },
): Promise<ClosableJoinServer> {
  const others = await Promise.all(
    settings.map(async ({ joinEUI, url, caCert, tlsCert, tlsKey }) => {
      const ca = caCert === '' ? undefined : await readPEM('caCert in HILLTOP_JOIN_SERVERS', caCert);
      const pair = await readPair(
        ['tlsCert in HILLTOP_JOIN_SERVERS', tlsCert],
        ['tlsKey in HILLTOP_JOIN_SERVERS', tlsKey],
      );
      return { range: joinEUI, server: joinServerElsewhere({ url, tls: { ...(ca && { ca }), ...pair }, ...needs }) };
    }),
  );
  const narrowestFirst = others.sort((one, other) => other.range.bits - one.range.bits);
  return {
    join: (request) => {
      const other = narrowestFirst.find(({ range }) => isIn(range, BigInt(`0x${request.joinEUI}`)));
      return (other?.server ?? own).join(request);
    },
    close: () => {
      for (const { server } of others) server.close();
    },
  };
}

function isIn({ first, bits }: JoinEUIRange, joinEUI: bigint): boolean {
  return joinEUI >> BigInt(64 - bits) === first >> BigInt(64 - bits);
}
