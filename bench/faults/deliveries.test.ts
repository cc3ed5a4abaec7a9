import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { connectAsync } from 'mqtt';
import { needsMosquitto, startMosquitto } from '../../apps/server/src/testing/mosquitto.ts';
import { countsOf, type DeliveryField, openDeliveryField } from '../driver/delivery-field.ts';
import { type Storage, storages } from './storage.ts';

const perSecond = 40;
const devices = 20;
const kind = 'HTTP';
const always = { from: '2000-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z' };

const embedded = async (): Promise<Storage> => ({
  settings: {},
  takeAway: async () => undefined,
  giveBack: async () => undefined,
  [Symbol.asyncDispose]: async () => undefined,
});

/** Ends a server process at a fail point that is set before its next start. */
function stepFile() {
  const folder = mkdtempSync(join(tmpdir(), 'hilltop-step-'));
  const file = join(folder, 'step');
  const name = (step = '') => writeFileSync(file, `${step}\n3`);
  name();
  return {
    name,
    settings: {
      END_AT_STEP_FILE: file,
      NODE_OPTIONS: `--import=${new URL('end-at-step.ts', import.meta.url).href}`,
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Sends uplinks until the process has ended. */
async function sendToTheEnd({ server, send }: DeliveryField): Promise<void> {
  const pid = server.hilltop.pid();
  for (let tries = 0; isRunning(pid); tries += 1) {
    assert.ok(tries < 60, 'the process passed the step');
    await send(perSecond, 0.5);
  }
}

async function until(isSo: () => Promise<boolean> | boolean, what: string): Promise<void> {
  for (let left = 3000; !(await isSo()); left -= 1) {
    assert.ok(left > 0, what);
    await delay(20);
  }
}

/** Asserts that all events of the log arrived, in order per device. Returns their number. */
async function allArrived(field: DeliveryField): Promise<number> {
  const { applicationID, server, sink } = field;
  // Uplinks become events after the deduplication window.
  await delay(500);
  let events = 0;
  await until(async () => {
    ({ events } = await server.client.delivery.startReplay({ applicationID, kind, ...always, countOnly: true }));
    return sink.arrived.size === events;
  }, 'all events arrive');
  assert.equal(countsOf(field).unordered, 0);
  return events;
}

describe('deliveries of a server process', () => {
  for (const [name, open] of [
    ['the embedded database', embedded],
    ['PostgreSQL', storages['PostgreSQL stopped']],
  ] as const)
    it(`are not lost when the process ends between two steps, on ${name}`, async (context) => {
      const opened = await open().catch((error: Error) => context.skip(error.message));
      if (!opened) return;
      await using storage = opened;
      using steps = stepFile();
      await using field = await openDeliveryField({ ...storage.settings, ...steps.settings }, devices);
      const { server, sink, send, fleet } = field;
      const { hilltop, client } = server;
      const chosen = { applicationID: field.applicationID, kind };
      const refused = fleet.devEUIs[0]!;
      sink.answer(({ headers }, response) => {
        if (!String(headers['webhook-id']).startsWith(refused)) return false;
        return response.writeHead(422).end();
      });
      for (const step of ['event committed', 'after attempt', 'retries stored']) {
        await hilltop.stop('SIGKILL');
        steps.name(step);
        // The process may reach the fail point before it listens.
        await hilltop.start().catch(() => undefined);
        await sendToTheEnd(field);
      }
      steps.name();
      await hilltop.start();
      sink.answer(undefined);
      await client.delivery.resume({ ...chosen, from: 'WHERE_IT_STOPPED' });
      await allArrived(field);

      // Slow responses, so that the process ends during deliveries.
      sink.answer((_, response) => void setTimeout(() => response.writeHead(503).end(), 50));
      await send(perSecond, 1);
      await storage.takeAway(hilltop.pid());
      sink.answer(undefined);
      await delay(3000);
      await storage.giveBack(hilltop.pid());
      await send(perSecond, 1);
      await client.delivery.resume({ ...chosen, from: 'WHERE_IT_STOPPED' });
      await allArrived(field);

      await hilltop.stop('SIGKILL');
      steps.name('event replayed');
      await hilltop.start();
      const before = new Map([...sink.arrived].map(([id, { times }]) => [id, times]));
      await client.delivery.startReplay({ ...chosen, ...always });
      const pid = hilltop.pid();
      await until(() => !isRunning(pid), 'the process passes the step');
      steps.name();
      await hilltop.start();
      await until(async () => {
        const { result } = await client.delivery.listReplays(chosen);
        return result[0]?.state === 'DONE';
      }, 'the replay ends');
      for (const [id, times] of before) assert.ok(sink.arrived.get(id)!.times > times, `${id} was sent again`);
    });

  it(
    'are not lost when the process ends between PUBLISH and PUBACK at an external broker',
    needsMosquitto,
    async () => {
      await using mosquitto = await startMosquitto();
      await using between = await standBetween(mosquitto.port);
      await using field = await openDeliveryField({ HILLTOP_MQTT_URL: `mqtt://127.0.0.1:${between.port}` }, devices);
      const { hilltop } = field.server;
      const listener = await connectAsync(mosquitto.url, {
        clean: false,
        clientId: 'listener',
        protocolVersion: 4,
      });
      await using _ = { [Symbol.asyncDispose]: () => listener.endAsync(true) };
      const received: { device: string; fCnt: number }[] = [];
      listener.on('message', (topic, payload) => {
        received.push({
          device: topic.split('/')[3]!,
          fCnt: (JSON.parse(payload.toString()) as { fCnt: number }).fCnt,
        });
      });
      await listener.subscribeAsync('application/+/device/+/event/up', { qos: 1 });
      for (let end = 0; end < 3; end += 1) {
        const pid = hilltop.pid();
        between.onAcknowledged(10, () => process.kill(pid, 'SIGKILL'));
        await sendToTheEnd(field);
        await hilltop.stop('SIGKILL');
        await hilltop.start();
      }
      await field.send(perSecond, 0.5);
      const events = await allArrived(field);
      const last = new Map<string, number>();
      const seen = new Set<string>();
      await until(
        () => new Set(received.map(({ device, fCnt }) => `${device} ${fCnt}`)).size >= events,
        'the subscriber has received all events',
      );
      for (const { device, fCnt } of received) {
        if (seen.has(`${device} ${fCnt}`)) continue;
        seen.add(`${device} ${fCnt}`);
        assert.ok(fCnt > (last.get(device) ?? -1), `${device} in order`);
        last.set(device, fCnt);
      }
      assert.equal(seen.size, events);
      assert.ok(received.length > seen.size, 'unacknowledged events are sent again');
    },
  );
});

/** A proxy between a broker and its clients that holds back acknowledgements of the broker and reports them. */
async function standBetween(brokerPort: number) {
  let left = Number.POSITIVE_INFINITY;
  let act = () => {};
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const broker = connect(brokerPort, '127.0.0.1');
    for (const socket of [client, broker]) sockets.add(socket.on('error', () => undefined));
    client.on('close', () => broker.destroy());
    broker.on('close', () => client.destroy());
    client.pipe(broker);
    broker.on('data', (bytes: Buffer) => {
      const isPuback = bytes[0]! >> 4 === 4;
      if (!isPuback || --left > 0) return void client.write(bytes);
      left = Number.POSITIVE_INFINITY;
      act();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as { port: number }).port,
    onAcknowledged: (nth: number, next: () => void) => {
      [left, act] = [nth, next];
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
