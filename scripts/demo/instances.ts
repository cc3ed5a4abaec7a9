import type { ChildProcess, StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@hilltop/simulator';
import { type Backend, startBalancer } from './balancer.ts';
import { isUp, spawnServer } from './server.ts';
import { type DemoServices, startServices } from './services.ts';

/** Several servers on one PostgreSQL and one Redis, behind a load balancer. */
export interface Instances extends AsyncDisposable {
  services: DemoServices;
  /** URL of the load balancer. */
  url: string;
  station: string;
  /** The instances, without the load balancer. */
  each: readonly Instance[];
}

export interface Instance {
  name: string;
  url: string;
  /** `host:port` for packet forwarders. */
  udp: string;
  /** Ends the process by SIGTERM and resolves with its exit status; undefined when it does not run. */
  stop: () => Promise<number | null | undefined>;
  /** Starts the process at the same ports. Rejects when it ends. */
  start: () => Promise<void>;
}

interface InstancesOptions {
  count: number;
  /** Ports of the load balancer; 0 for any free port. */
  ports: { http: number; station: number };
  environment: Record<string, string>;
  stdio?: StdioOptions;
}

/** Starts all instances at once; they wait for each other. Disposing removes all processes and data. */
export async function startInstances({
  count,
  ports,
  environment,
  stdio = 'inherit',
}: InstancesOptions): Promise<Instances> {
  await using begun = new AsyncDisposableStack();
  const data = mkdtempSync(join(tmpdir(), 'hilltop-instances-'));
  begun.defer(() => rmSync(data, { recursive: true, force: true }));
  const services = begun.use(await startServices());

  async function createInstance(name: string): Promise<Instance & Record<'http' | 'station', Backend>> {
    const [http, udp, station] = [await freePort(), await freePort(), await freePort()];
    const url = `http://127.0.0.1:${http}`;
    let server: ChildProcess | undefined;
    const own = {
      HILLTOP_HTTP: `127.0.0.1:${http}`,
      HILLTOP_UDP: `127.0.0.1:${udp}`,
      HILLTOP_GRPC: '',
      HILLTOP_BASICS_STATION: `127.0.0.1:${station}`,
      HILLTOP_MQTT: '127.0.0.1:0',
      HILLTOP_MQTTS: '',
      HILLTOP_DATA: data,
      HILLTOP_INSTANCE_NAME: name,
      HILLTOP_DATABASE_URL: services.databaseURL,
      HILLTOP_REDIS_URL: services.redisURL,
    };
    return {
      name,
      url,
      udp: `127.0.0.1:${udp}`,
      http: { port: http, healthPort: http },
      station: { port: station, healthPort: http },
      start: async () => {
        // Ctrl+C reaches only this process, which then stops the instances one after the other.
        const child = spawnServer({ ...environment, ...own }, { stdio, detached: true });
        server = child;
        if (!(await isUp(child, url, { everyMs: 50 }))) throw new Error(`${name} ended with ${child.exitCode}.`);
      },
      stop: async () => {
        if (!server || server.exitCode !== null || server.signalCode !== null) return undefined;
        const gone = once(server, 'exit');
        server.kill();
        const [status] = (await gone) as [number | null];
        return status;
      },
    };
  }

  const names = Array.from({ length: count }, (_, index) => `instance ${index + 1}`);
  const each = await Promise.all(names.map(createInstance));
  begun.defer(async () => void (await Promise.all(each.map(({ stop }) => stop()))));
  await Promise.all(each.map(({ start }) => start()));
  const http = begun.use(
    await startBalancer(
      each.map((one) => one.http),
      ports.http,
    ),
  );
  const station = begun.use(
    await startBalancer(
      each.map((one) => one.station),
      ports.station,
    ),
  );
  const all = begun.move();
  return {
    services,
    each,
    url: `http://127.0.0.1:${http.port}`,
    station: `ws://127.0.0.1:${station.port}`,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
