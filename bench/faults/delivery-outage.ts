import { setTimeout as delay } from 'node:timers/promises';
import { countsOf, openDeliveryField } from '../driver/delivery-field.ts';
import { mqttPrograms } from '../driver/mqtt-clients.ts';
import { settled } from '../driver/pace.ts';
import type { Storage } from './storage.ts';

export interface DeliveryOutageResult {
  /** In the log, which is all that was acknowledged. */
  events: number;
  /** By HTTP: never there, later than a newer one of its device, and more often than it was answered well. */
  lost: number;
  unordered: number;
  twice: number;
  /** Of those, by a subscriber that stayed connected. */
  unheard: number;
  heardTwice: number;
}

const perSecond = 100;
const aroundSeconds = 10;

/** The storage goes while a backlog is on its way to an endpoint and events to an MQTT subscriber, and comes back. */
export async function runDeliveryOutage(
  outage: { storage: Storage; seconds: number },
  settings: Record<string, string>,
): Promise<DeliveryOutageResult> {
  await using storage = outage.storage;
  await using field = await openDeliveryField({ ...settings, ...storage.settings }, 200);
  await using programs = await mqttPrograms(field.server);
  const { sink, applicationID, server } = field;
  const { delivery } = server.client;
  const chosen = { applicationID, kind: 'HTTP' };
  const heard = new Map<string, number>();
  const program = await programs.open(applicationID);
  program.on('message', (topic, payload) => {
    const key = `${topic} ${/"fCnt":(\d+)/.exec(payload.toString())?.[1]}`;
    heard.set(key, (heard.get(key) ?? 0) + 1);
  });
  await program.subscribeAsync(`application/${applicationID}/device/+/event/up`, { qos: 1 });

  await delivery.suspend(chosen);
  await field.send(perSecond, aroundSeconds);
  // Each takes a moment, so that the storage goes in the middle of them.
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
  await settled(field.sentAt.size * 2, () => sink.arrived.size + heard.size, 15_000);

  const always = { from: '2000-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z', countOnly: true };
  const { events } = await delivery.startReplay({ ...chosen, ...always });
  const { unordered, twice } = countsOf(field);
  return {
    events,
    lost: events - sink.arrived.size,
    unordered,
    twice,
    unheard: events - heard.size,
    heardTwice: [...heard.values()].filter((times) => times > 1).length,
  };
}
