import { type Client, loadClient } from '@hilltop/contract/client';
import type { Bench } from '../case.ts';
import { startInstances } from '../faults/instances.ts';
import { postgresSeconds } from './postgres.ts';
import type { Servers } from './uplink-run.ts';

/** A cluster of server processes, with a client signed in at the first of them. */
export interface Cluster extends Servers, AsyncDisposable {
  others: NonNullable<Servers['others']>;
  udpPorts: number[];
  pids: number[];
  /** Processor time of PostgreSQL's processes in seconds. */
  postgresSeconds: () => number;
}

export async function startCluster(count: number, { settings }: Pick<Bench, 'settings'>): Promise<Cluster> {
  const instances = await startInstances(count, { HILLTOP_LOG_LEVEL: 'info', ...settings }, { isBare: true });
  const [hilltop, ...others] = instances.all.map((one) => one.hilltop);
  const token = await tokenOf(hilltop!);
  return {
    hilltop: hilltop!,
    others,
    token,
    client: clientOf(hilltop!.url, token),
    udpPorts: [hilltop!, ...others].map(({ udpPort }) => udpPort),
    pids: [hilltop!, ...others].map(({ pid }) => pid()),
    postgresSeconds: () => postgresSeconds(instances.postgres),
    [Symbol.asyncDispose]: () => instances[Symbol.asyncDispose](),
  };
}

export const clientOf = (baseURL: string, token: string): Client => loadClient({ fetch, baseURL, token: () => token });

async function tokenOf({ url, email, password }: Servers['hilltop']): Promise<string> {
  const client = loadClient({ fetch, baseURL: url, token: () => null });
  return (await client.internal.login({ email, password })).jwt;
}
