import { setTimeout as delay } from 'node:timers/promises';
import { countsOf, openDeliveryField } from '../driver/delivery-field.ts';
import { openMqttClients } from '../driver/mqtt-clients.ts';
import { settled } from '../driver/pace.ts';
import type { Storage } from './storage.ts';

export interface DeliveryOutageResult {
  /** Number of events in the log: all acknowledged uplinks. */
  events: number;
  /** Events by HTTP that were lost, out of order, or delivered again after a successful response. */
  lost: number;
  unordered: number;
  twice: number;
  /** The same events at an MQTT subscriber that stayed connected. */
  unheard: number;
  receivedTwice: number;
}

const perSecond = 100;
const aroundSeconds = 10;

/** Takes the storage away during deliveries to an HTTP endpoint and an MQTT subscriber, and gives it back. */
export async function runDeliveryOutage(
  outage: { storage: Storage; seconds: number },
  settings: Record<string, string>,
): Promise<DeliveryOutageResult> {
  await using storage = outage.storage;
  await using field = await openDeliveryField({ ...settings, ...storage.settings }, 200);
  await using programs = await openMqttClients(field.server);
  const { sink, applicationID, server } = field;
  const { delivery } = server.client;
  const chosen = { applicationID, kind: 'HTTP' };
  const received = new Map<string, number>();
  const program = await programs.open(applicationID);
  program.on('message', (topic, payload) => {
    const key = `${topic} ${/"fCnt":(\d+)/.exec(payload.toString())?.[1]}`;
    received.set(key, (received.get(key) ?? 0) + 1);
  });
  await program.subscribeAsync(`application/${applicationID}/device/+/event/up`, { qos: 1 });

  await delivery.suspend(chosen);
  await field.send(perSecond, aroundSeconds);
  // Slow responses, so that the storage disappears during deliveries.
  sink.takeTime(100);
  await delivery.resume({ ...chosen, from: 'WHERE_IT_STOPPED' });
  await settled(perSecond, () => sink.arrived.size);
  const sending = field.send(perSecond, 2);
  await delay(500);
  await storage.takeAway(server.hilltop.pid());
  await sending;
  await delay(outage.seconds * 1000);
  await storage.giveBack(server.hilltop.pid());
  await delay(1000);
  await field.send(perSecond, aroundSeconds);
  await settled(field.sentAt.size * 2, () => sink.arrived.size + received.size, 15_000);

  const always = { from: '2000-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z', countOnly: true };
  const { events } = await delivery.startReplay({ ...chosen, ...always });
  const { unordered, twice } = countsOf(field);
  return {
    events,
    lost: events - sink.arrived.size,
    unordered,
    twice,
    unheard: events - received.size,
    receivedTwice: [...received.values()].filter((times) => times > 1).length,
  };
}
