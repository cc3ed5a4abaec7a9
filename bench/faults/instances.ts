/** A cluster of servers on one PostgreSQL and one Redis; each part can fail alone. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestRedis, type TestRedis } from '../../apps/server/src/testing/redis.ts';
import { type Hilltop, startHilltop } from '../../e2e/hilltop.ts';
import type { TestPostgres } from '../../scripts/testing/postgres.ts';
import { type Balancer, startBalancer } from '../driver/balancer.ts';
import { type FaultyProxy, startFaultyProxy } from '../driver/faulty-proxy.ts';
import { startBenchPostgres } from '../driver/postgres.ts';
import { openClock, type ShiftedClock } from './clock.ts';
import type { ServerAccess } from './field.ts';
import { type Namespace, openNamespace } from './namespace.ts';

export interface Instances extends AsyncDisposable, ServerAccess {
  postgres: TestPostgres;
  redis: TestRedis;
  all: readonly Instance[];
  /** The UDP load balancer in front of the instances. */
  balancer: Balancer;
  /** Whether clients call this instance. */
  isWell(instance: Instance, well: boolean): void;
}

export interface Instance {
  hilltop: Hilltop;
  clock: ShiftedClock;
  /** The proxies between the instance and its databases. */
  toPostgres: FaultyProxy;
  toRedis: FaultyProxy;
  /** The network namespace of the instance, with `isApart`. */
  network: Namespace | undefined;
}

/**
 * With `isBare`, instances run without proxies and shifted clocks, so that measurements are exact. With `isApart` as well,
 * and each instance has its own network namespace.
 */
export async function startInstances(
  count: number,
  settings: Record<string, string> = {},
  { isBare = false, isApart = false } = {},
): Promise<Instances> {
  await using begun = new AsyncDisposableStack();
  const data = mkdtempSync(join(tmpdir(), 'hilltop-instances-'));
  begun.defer(() => rmSync(data, { recursive: true, force: true }));
  const networks = isApart ? Array.from({ length: count }, (_, nth) => begun.use(openNamespace(nth + 1))) : [];
  const outside = networks.map((network) => network.outside);
  const postgres = await startBenchPostgres(outside);
  begun.defer(postgres.stop);
  const redis = begun.use(await startTestRedis(outside));
  const all: Instance[] = [];
  for (let nth = 1; nth <= count; nth += 1) {
    const clock = begun.use(openClock());
    const toPostgres = begun.use(await startFaultyProxy(Number(new URL(postgres.url).port)));
    const toRedis = begun.use(await startFaultyProxy(redis.port));
    const network = networks[nth - 1];
    const through = (url: string, { port }: FaultyProxy) => {
      if (network) return Object.assign(new URL(url), { hostname: network.outside }).href;
      return isBare ? url : Object.assign(new URL(url), { port: String(port) }).href;
    };
    const place = network && { host: network.inside, within: network.command };
    const environment = {
      HILLTOP_DATA: data,
      HILLTOP_INSTANCE_NAME: `instance ${nth}`,
      HILLTOP_MQTT: '',
      HILLTOP_MQTTS: '',
      HILLTOP_DATABASE_URL: through(postgres.url, toPostgres),
      HILLTOP_REDIS_URL: through(redis.url, toRedis),
      ...(isBare || isApart ? {} : clock.settings),
      ...settings,
    };
    const hilltop = await startHilltop(environment, place);
    begun.defer(hilltop.remove);
    all.push({ hilltop, clock, toPostgres, toRedis, network });
  }
  const balancer = begun.use(await startBalancer(all.map(({ hilltop }) => hilltop)));
  const ill = new Set<Instance>();
  let turn = 0;
  const [{ email, password }] = [all[0]!.hilltop];
  const parts = begun.move();
  return {
    postgres,
    redis,
    all,
    balancer,
    email,
    password,
    udpPorts: [balancer.port],
    url() {
      const well = all.filter((one) => !ill.has(one));
      turn += 1;
      return (well[turn % well.length] ?? all[0]!).hilltop.url;
    },
    isWell: (instance, well) => void (well ? ill.delete(instance) : ill.add(instance)),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}
