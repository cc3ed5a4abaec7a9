import { type BaseRecords, createBaseRecords, forEach } from './base-records.ts';
import { createABPFleet, type Fleet } from './fleet.ts';
import { distributeOverApplications } from './many-applications.ts';
import { settled } from './pace.ts';
import { deduplicationWindowMs, sentUplinks } from './sent-uplinks.ts';
import { type BenchServer, startServer } from './server.ts';
import { openSink, type Sink } from './sink.ts';
import { type Spread, spreadOf } from './spread.ts';

/** A server with a fleet whose events an HTTP integration sends to a sink. */
export interface DeliveryField extends AsyncDisposable {
  server: BenchServer;
  sink: Sink;
  fleet: Fleet;
  send: (perSecond: number, seconds: number) => Promise<void>;
  /** When each uplink was sent, by device and frame counter. */
  sentAt: Map<string, number>;
  applicationID: string;
  ground: BaseRecords;
}

export async function openDeliveryField(settings: Record<string, string>, devices: number): Promise<DeliveryField> {
  const server = await startServer({ settings: { HILLTOP_OUTGOING_ALLOW: '127.0.0.1', ...settings } });
  const ground = await createBaseRecords(server.client);
  const fleet = await createABPFleet(server.client, ground, devices);
  const uplinks = await sentUplinks(server, ground, fleet);
  const sink = await openSink();
  await createHTTPIntegration(server, ground.applicationID, sink.url);
  return {
    server,
    sink,
    fleet,
    send: uplinks.send,
    sentAt: uplinks.at,
    applicationID: ground.applicationID,
    ground,
    [Symbol.asyncDispose]: async () => {
      uplinks[Symbol.dispose]();
      await sink[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

export const createHTTPIntegration = ({ client }: BenchServer, applicationID: string, url: string) =>
  client.application.createHTTPIntegration({
    integration: { applicationID, marshaler: 'JSON', eventEndpointURL: url },
  });

/** Distributes the devices of a field over applications; the events of each application go to one of these URLs. */
export async function distributeDevices(
  { server, ground, fleet }: DeliveryField,
  urls: readonly string[],
): Promise<void> {
  const applicationIDs = await distributeOverApplications(server.client, ground, fleet, urls.length);
  await forEach(urls.length, (index) => createHTTPIntegration(server, applicationIDs[index]!, urls[index]!));
}

/** A healthy tenant beside one whose endpoint fails: an application with its own devices and sink. */
export interface HealthyTenant extends AsyncDisposable {
  /** Sends uplinks for this time. Resolves with the latency of their events and the number of lost events. */
  run: (seconds: number) => Promise<HealthyTenantRun>;
}

export type HealthyTenantRun = Spread & { lost: number };

const neighbours = { first: 50_000, devices: 50, perSecond: 100 };

export async function openHealthyTenant({ server, ground }: DeliveryField): Promise<HealthyTenant> {
  const { first, devices, perSecond } = neighbours;
  const fleet = await createABPFleet(server.client, ground, devices, { first });
  const [applicationID] = await distributeOverApplications(server.client, ground, fleet, 1);
  const sink = await openSink();
  await createHTTPIntegration(server, applicationID!, sink.url);
  const uplinks = await sentUplinks(server, ground, fleet);
  return {
    run: async (seconds) => {
      sink.arrived.clear();
      uplinks.at.clear();
      await uplinks.send(perSecond, seconds);
      await settled(perSecond * seconds, () => sink.arrived.size);
      const ran = { sink, sentAt: uplinks.at };
      return { ...latencyOf(ran), lost: countsOf(ran).lost };
    },
    [Symbol.asyncDispose]: async () => {
      uplinks[Symbol.dispose]();
      await sink[Symbol.asyncDispose]();
    },
  };
}

/** Latency from the datagram to the sink, minus the deduplication window. */
export function latencyOf(
  { sink, sentAt }: Pick<DeliveryField, 'sink' | 'sentAt'>,
  sinks: readonly Sink[] = [sink],
): Spread {
  const times = sinks.flatMap(({ arrived }) =>
    [...arrived.values()].flatMap(({ device, fCnt, at }) => {
      const sent = sentAt.get(`${device} ${fCnt}`);
      return sent === undefined ? [] : [at - sent - deduplicationWindowMs];
    }),
  );
  return spreadOf(times);
}

/** Whether the events of each device first arrived in order, and how many events were lost or arrived twice. */
export function countsOf({ sink, sentAt }: Pick<DeliveryField, 'sink' | 'sentAt'>) {
  const last = new Map<string, number>();
  let [unordered, twice] = [0, 0];
  for (const { device, fCnt, times } of sink.arrived.values()) {
    if (fCnt < (last.get(device) ?? -1)) unordered += 1;
    last.set(device, fCnt);
    twice += times - 1;
  }
  return { lost: sentAt.size - sink.arrived.size, unordered, twice };
}
