import { type Fleet, personalizedFleet } from './fleet.ts';
import { layGround } from './ground.ts';
import { sentUplinks, windowMs } from './sent-uplinks.ts';
import { type BenchServer, startServer } from './server.ts';
import { openSink, type Sink } from './sink.ts';
import { type Spread, spreadOf } from './spread.ts';

/** A server with a fleet whose events go to a sink, by an HTTP integration. */
export interface DeliveryField extends AsyncDisposable {
  server: BenchServer;
  sink: Sink;
  fleet: Fleet;
  send: (perSecond: number, seconds: number) => Promise<void>;
  /** When each uplink was sent, by device and frame counter. */
  sentAt: Map<string, number>;
  applicationID: string;
}

export async function openDeliveryField(settings: Record<string, string>, devices: number): Promise<DeliveryField> {
  const server = await startServer({ settings: { HILLTOP_OUTGOING_ALLOW: '127.0.0.1', ...settings } });
  const ground = await layGround(server.client);
  const fleet = await personalizedFleet(server.client, ground, devices);
  const uplinks = await sentUplinks(server, ground, fleet);
  const sink = await openSink();
  await server.client.application.createHTTPIntegration({
    integration: { applicationID: ground.applicationID, marshaler: 'JSON', eventEndpointURL: sink.url },
  });
  return {
    ...{ server, sink, fleet, send: uplinks.send, sentAt: uplinks.at, applicationID: ground.applicationID },
    [Symbol.asyncDispose]: async () => {
      uplinks[Symbol.dispose]();
      await sink[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** From the datagram to the sink, over the window in which copies gather. */
export function latencyOf({ sink, sentAt }: Pick<DeliveryField, 'sink' | 'sentAt'>): Spread {
  const times = [...sink.arrived.values()].flatMap(({ device, fCnt, at }) => {
    const sent = sentAt.get(`${device} ${fCnt}`);
    return sent === undefined ? [] : [at - sent - windowMs];
  });
  return spreadOf(times);
}

/** Each device in order of its first arrivals, and how many events never came or came more than once. */
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
