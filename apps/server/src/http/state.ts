import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Logger } from 'pino';
import { anyOf } from '../cidr.ts';
import type { Database } from '../database/database.ts';
import { lacksSpace } from '../database/free-space.ts';
import { damaged, type Integrity } from '../database/integrity.ts';
import { createWriteProbe } from '../database/write-probe.ts';
import type { Metrics } from '../metrics.ts';
import type { StorageSettings } from '../storage-settings.ts';
import { type MapSettings, mapTilesOf } from './map-tiles.ts';
import { notReady, type Readiness } from './readiness.ts';
import type { ClientSettings } from './settings.ts';

export interface StateDependencies {
  config: MapSettings & Pick<ClientSettings, 'metricsAllow'> & Pick<StorageSettings, 'databaseURL' | 'data'>;
  database: Database;
  integrity: Pick<Integrity, 'findings' | 'refusesUplinks'>;
  metrics: Pick<Metrics, 'contentType' | 'text'>;
  log: Logger;
}

/**
 * Routes for monitoring. `/health` answers 200 while the database reads and writes and uplinks are processed, and describes damage;
 * `/health/ready` does the same while this instance accepts calls; `/health/live` answers as long as the process does;
 * `/metrics` is for Prometheus. `/map.json` is what the console needs of the settings besides the contract: the map
 * tiles, or null.
 */
export function serveState(
  app: FastifyInstance,
  { config, database, integrity, metrics, log }: StateDependencies,
  readiness: Readonly<Readiness>,
): void {
  const takesWrites = createWriteProbe(database);
  const plainly = (reply: FastifyReply) => reply.type('text/plain').header('Cache-Control', 'no-store');

  async function tellHealth(reply: FastifyReply): Promise<FastifyReply> {
    const damage = integrity.findings.length === 0 ? '' : [damaged, ...integrity.findings].join('\n');
    if (integrity.refusesUplinks) return reply.code(503).send(damage);
    try {
      await database.ping();
      await takesWrites();
      if (config.databaseURL === '' && (await lacksSpace(config.data)))
        throw new Error(`The disk of ${config.data} has less than 1 MB of free space.`);
    } catch (error) {
      log.error({ err: error }, 'the database does not answer or takes no writes');
      return reply.code(503).send('The database does not respond or takes no writes.');
    }
    return reply.send(damage);
  }

  app.get('/health', (_request, reply) => tellHealth(plainly(reply)));
  app.get('/health/live', (_request, reply) => plainly(reply).send(''));
  app.get('/health/ready', (_request, reply) => {
    plainly(reply);
    return readiness.is === 'ready' ? tellHealth(reply) : reply.code(503).send(notReady[readiness.is]);
  });
  const tiles = mapTilesOf(config);
  app.get('/map.json', () => ({ tiles }));
  const mayWatch = anyOf(config.metricsAllow);
  app.get('/metrics', async ({ ip, ips, headers }, reply) => {
    // A request through an untrusted proxy may come from anywhere.
    const isForwarded = ips === undefined && headers['x-forwarded-for'] !== undefined;
    if (isForwarded || !mayWatch(ip))
      return reply.code(403).type('text/plain').send('Not from this address: see HILLTOP_METRICS_ALLOW.');
    return reply.type(metrics.contentType).send(await metrics.text());
  });
}
