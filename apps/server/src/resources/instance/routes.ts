import type { Operations } from '@hilltop/contract';
import type { Bus } from '../../bus/bus.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import type { InstanceLoad } from '../../cluster/instance-load.ts';
import { isArchive } from '../../command-line-of.ts';
import type { Database } from '../../database/database.ts';
import { readPage } from '../../database/page.ts';
import type { Handlers } from '../../http/call.ts';
import { listensAt, type OpenPorts, type TCPListeners } from '../../outgoing/own-ports.ts';
import type { RedisConnection } from '../../redis/connection.ts';
import type { Address } from '../../setting-schemas.ts';

const askWithinMs = 500;

interface InstanceRoutesDependencies {
  config: TCPListeners & { udp: Address };
  database: Database;
  bus: Bus;
  cluster: Cluster;
  figures: InstanceLoad;
  openPorts: OpenPorts;
  redis: RedisConnection | undefined;
}

/** The instances on the database, and the services that this one cannot reach. */
export function instanceRoutes({
  bus,
  cluster,
  config,
  database,
  figures,
  openPorts,
  redis,
}: InstanceRoutesDependencies): Handlers<Operations['instance']> {
  return {
    list: async (page) => {
      const members = await cluster.members();
      const answers = await bus.askPeers('instance-figures', {}, askWithinMs);
      const byID = new Map(answers.map((one) => [one.instanceID, one]));
      const instances = members.map(({ id, name, version, startedAt }) => {
        const isAnswering = id === cluster.id;
        const its = isAnswering ? { figures: figures.now(), listens: listensAt(config, openPorts) } : byID.get(id);
        const { figures: does = null, listens = [] } = its ?? {};
        return { id, name, version, startedAt: startedAt.toISOString(), isAnswering, listens, figures: does };
      });
      const shown = () => Promise.resolve(instances.slice(page.offset, page.offset + page.limit));
      const found = await readPage(page, () => Promise.resolve(instances.length), shown);
      return { ...found, isAlone: cluster.isAlone, isArchive };
    },

    getSurroundings: async () => {
      const isThere = await database.ping().then(
        () => true,
        () => false,
      );
      return { away: [...(isThere ? [] : ['DATABASE' as const]), ...(redis?.isAway() ? ['REDIS' as const] : [])] };
    },
  };
}
