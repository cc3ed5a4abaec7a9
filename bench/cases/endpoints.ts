import { once } from 'node:events';
import { createServer as createHTTP, type RequestListener, type Server } from 'node:http';
import { createServer as createHTTPS } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { createAuthority } from '../../apps/server/src/testing/certificates.ts';
import type { Bench, Case, Row } from '../case.ts';
import {
  countsOf,
  type DeliveryField,
  distributeDevices,
  type HealthyTenantRun,
  openDeliveryField as openField,
  openHealthyTenant,
} from '../driver/delivery-field.ts';
import { settled } from '../driver/pace.ts';
import { openFiles, residentMB } from '../driver/process-use.ts';

/** Endpoints that are down, silent or hostile, and their effect on others. */
export const endpoints: Case = async (bench) => {
  const rows: Row[] = [];
  const measured: Record<string, unknown> = {};
  for (const part of [dead, silent, hostile]) {
    const [row, figures] = await part(bench);
    bench.say(`${row.work}: ${row.ours}`);
    rows.push(row);
    measured[part.name] = figures;
  }
  return { rows, measured };
};

/** The result of the healthy tenant. */
function describeHealthyTenant(beside: HealthyTenantRun, alone: HealthyTenantRun): string {
  const ms = Math.round((beside.p99 - alone.p99) * 10) / 10;
  return `neighbour ${beside.lost} lost, p99 ${signed(ms)} ms`;
}

const signed = (number: number) => `${number < 0 ? '' : '+'}${number}`;

async function dead(bench: Bench): Promise<[Row, unknown]> {
  await using field = await openField(bench.settings, 500);
  await using neighbour = await openHealthyTenant(field);
  await neighbour.run(3);
  const alone = await neighbour.run(10);
  field.sink.answer((request) => request.socket.destroy());
  const [perSecond, seconds] = bench.quick ? [200, 20] : [500, 120];
  const [, beside] = await Promise.all([field.send(perSecond, seconds), neighbour.run(seconds)]);
  await delay(1000);
  field.sink.answer(undefined);
  const returnedAt = performance.now();
  await settled(perSecond * seconds, () => field.sink.arrived.size, 400_000);
  const first = Math.min(...[...field.sink.arrived.values()].map(({ at }) => at));
  const rate = Math.round((field.sink.arrived.size / (performance.now() - first)) * 1000);
  const counts = countsOf(field);
  const firstAfterMs = Math.round(first - returnedAt);
  const figures = { ...counts, perSecond, seconds, catchUpPerSecond: rate, firstAfterMs, alone, beside };
  const healthyTenant = describeHealthyTenant(beside, alone);
  const ours = `${counts.lost} lost, ${counts.unordered} out of order, ${healthyTenant}, then ${rate}/s`;
  const work = `an endpoint that is away for ${seconds} s at ${perSecond}/s`;
  const isBroken = counts.lost > 0 || counts.unordered > 0 || beside.lost > 0;
  return [{ work, before: 'all lost', target: '0 lost, neighbour +10 ms, then 2,500/s', ours, isBroken }, figures];
}

async function silent(bench: Bench): Promise<[Row, unknown]> {
  await using field = await openField(bench.settings, 500);
  const toBadOne = () => field.sink.answer(() => undefined);
  const work = 'an endpoint that is silent: requests under way';
  return await besideTrouble(bench, field, { work, before: '802, +63 MB, 830 files', mostAtEnd: 4, begin: toBadOne });
}

/** A hundred endpoints of each hostile kind; ten with `--quick`. */
async function hostile(bench: Bench): Promise<[Row, unknown]> {
  const ofEach = bench.quick ? 10 : 100;
  await using stack = new AsyncDisposableStack();
  const yesterday = new Date(Date.now() - 86_400_000);
  const identity = await (await createAuthority()).issue('server', { notAfter: yesterday });
  const urls: string[] = [];
  for (let one = 0; one < ofEach; one += 1) {
    for (const answer of [huge, dripping, redirecting]) urls.push(await listen(stack, createHTTP(answer), 'http'));
    urls.push(await listen(stack, createHTTPS(identity), 'https'));
  }
  await using field = await openField(bench.settings, urls.length);
  const work = `${urls.length} endpoints that answer 10 MB, a byte a second, redirects, an old certificate: requests`;
  const begin = () => distributeDevices(field, urls);
  return await besideTrouble(bench, field, { work, before: '–', mostAtEnd: 64, begin });
}

const huge: RequestListener = (_request, response) => {
  const part = Buffer.alloc(64 << 10, 'x');
  let left = 160;
  const go = () => {
    while (left-- > 0) if (!response.write(part)) return;
    response.end();
  };
  response.on('drain', go).on('error', () => undefined);
  go();
};

const dripping: RequestListener = (_request, response) => {
  const timer = setInterval(() => response.write('x'), 1000);
  response.on('close', () => clearInterval(timer)).writeHead(200);
  response.flushHeaders();
};

const redirecting: RequestListener = (_request, response) =>
  void response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end();

async function listen(stack: AsyncDisposableStack, server: Server, scheme: string): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stack.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  return `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}/events`;
}

/** Cost of failing endpoints: open requests, memory, open files and the latency of a healthy tenant. */
async function besideTrouble(
  bench: Bench,
  field: DeliveryField,
  trouble: { work: string; before: string; mostAtEnd: number; begin: () => unknown },
): Promise<[Row, unknown]> {
  const [perSecond, seconds] = bench.quick ? [200, 30] : [500, 70];
  await using neighbour = await openHealthyTenant(field);
  await field.send(perSecond, 5);
  const alone = await neighbour.run(10);
  const pid = field.server.hilltop.pid();
  const files = openFiles(pid);
  let [most, mostFiles, mostMB] = [0, 0, 0];
  let inFlight = 0;
  const look = async () => {
    mostMB = Math.max(mostMB, residentMB(pid));
    inFlight = await underWay(field);
    [most, mostFiles] = [Math.max(most, inFlight), Math.max(mostFiles, openFiles(pid) - files)];
  };
  const both = async () => {
    [most, mostFiles, mostMB] = [0, 0, 0];
    const watch = setInterval(() => void look(), 500);
    const [, beside] = await Promise.all([field.send(perSecond, seconds), neighbour.run(seconds)]);
    clearInterval(watch);
    await look();
    return beside;
  };
  // The heap grows under any load of this length. Only the growth that the failing endpoints add counts.
  await both();
  const usualMB = mostMB;
  await trouble.begin();
  const beside = await both();
  const grown = mostMB - usualMB;
  const healthyTenant = describeHealthyTenant(beside, alone);
  const ours = `${most} at most, ${inFlight} at the end, RSS ${signed(grown)} MB to ${mostMB}, +${mostFiles} files, ${healthyTenant}`;
  const target = `${trouble.mostAtEnd} at the end, +20 MB, +40 files, neighbour +10 ms`;
  const isBroken = inFlight > trouble.mostAtEnd + 1 || beside.lost > 0;
  const figures = { most, inFlight, grown, mostMB, mostFiles, alone, beside };
  return [{ work: trouble.work, before: trouble.before, target, ours, isBroken }, figures];
}

/** Open requests of all integrations, including those of the healthy tenant. */
async function underWay({ server }: DeliveryField): Promise<number> {
  const text = await (await fetch(`${server.hilltop.url}/metrics`)).text();
  return Number(/^hilltop_deliveries_in_flight\{kind="HTTP"\} (\d+)/m.exec(text)?.[1] ?? 0);
}
