import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { operations } from '@hilltop/contract';
import { createDevice as createSimulatedDevice, type Gateway, seededRandom } from '@hilltop/simulator';
import { databasesAndThreads } from '../testing/databases.ts';
import { createDevice, createGateway, createSurroundings, nwkKey, simulateGateway } from '../testing/field.ts';
import { startTestApp, type TestApp } from '../testing/test-app.ts';
import { watchWriterThreads } from '../testing/writer-threads.ts';

const deviceCount = 40;
const uplinksOfEach = 25;
/** With more, the socket buffer would overflow. */
const mostUnanswered = 100;
/** How often the thread that writes ends. */
const ends = 12;

for (const { name, kind, threads } of databasesAndThreads) {
  describe(`uplinks at the full rate on ${name}`, () => {
    let app: TestApp;
    let gateways: Gateway[];
    before(async () => {
      app = await startTestApp(kind, { eventHistory: '100', threads: String(threads) });
    });
    after(async () => {
      for (const gateway of gateways) await gateway.stop();
      await app[Symbol.asyncDispose]();
    });

    it('become events in order for each device, each once, and are counted exactly', async () => {
      const surroundings = await createSurroundings(app);
      const gatewayIDs = [];
      for (let nth = 0; nth < 3; nth++) gatewayIDs.push(await createGateway(app, surroundings.organizationID));
      gateways = await Promise.all(gatewayIDs.map((id) => simulateGateway(app, id)));
      const random = seededRandom(12);
      // The first look-up of a gateway reads the database: uplinks by another gateway could overtake its first one.
      const { device: other } = await personalized(app, surroundings, random);
      const first = other.uplink({ fPort: 1, data: new Uint8Array(1) });
      for (const gateway of gateways) assert.ok(await gateway.receiveFrame(first).acknowledged);
      const below = (most: number) => Math.floor(random() * most);
      const devices: Awaited<ReturnType<typeof personalized>>[] = [];
      for (let nth = 0; nth < deviceCount; nth++) devices.push(await personalized(app, surroundings, random));
      const turns = devices.flatMap((one) => Array.from({ length: uplinksOfEach }, () => one));
      for (let at = turns.length - 1; at > 0; at--) {
        const partner = below(at + 1);
        [turns[at], turns[partner]] = [turns[partner]!, turns[at]!];
      }

      const begun = Date.now();
      const unanswered = new Set<Promise<boolean>>();
      const acknowledged: Promise<boolean>[] = [];
      for (const [nth, { device }] of turns.entries()) {
        const uplink = device.uplink({ fPort: 1, data: Uint8Array.of(nth & 0xff) });
        for (const gateway of gateways.slice(below(gateways.length))) {
          const answer = gateway.receiveFrame(uplink).acknowledged;
          acknowledged.push(answer);
          unanswered.add(answer);
          void answer.then(() => unanswered.delete(answer));
        }
        while (unanswered.size > mostUnanswered) await Promise.race(unanswered);
      }
      assert.ok((await Promise.all(acknowledged)).every(Boolean));

      for (let tries = 0; tries < 1200 && (await uplinkEvents(app)).length < turns.length + 1; tries++) await sleep(50);
      assert.equal(await app.parts.metrics.total('uplinks_dropped'), 0);
      const events = countersByDevice(await uplinkEvents(app));
      const inOrder = Array.from({ length: uplinksOfEach }, (_, fCnt) => fCnt);
      for (const { devEUI } of devices) {
        assert.deepEqual(events.get(devEUI), inOrder, devEUI);
      }

      const period = { interval: 'HOUR', startTimestamp: new Date(begun).toISOString() };
      const countsOfAll = () =>
        Promise.all(
          devices.map(async ({ devEUI }) => {
            const endTimestamp = new Date().toISOString();
            const { result } = await app.call(operations.device.getStats, { devEUI, ...period, endTimestamp });
            return result.reduce((sum, { rxPackets }) => sum + rxPackets, 0);
          }),
        );
      const exact = devices.map(() => uplinksOfEach);
      assert.deepEqual(await countsOfAll(), exact, 'before they are added up');
      const folding = app.parts.statistics.fold();
      assert.deepEqual(await countsOfAll(), exact, 'meanwhile');
      await folding;
      assert.deepEqual(await countsOfAll(), exact, 'afterwards');
    });

    if (threads > 1)
      it('lose no acknowledged uplink when the thread that writes ends again and again', async () => {
        using writers = watchWriterThreads();
        const surroundings = await createSurroundings(app);
        const gateway = await simulateGateway(app, await createGateway(app, surroundings.organizationID));
        gateways.push(gateway);
        const random = seededRandom(13);
        const devices: Awaited<ReturnType<typeof personalized>>[] = [];
        for (let nth = 0; nth < deviceCount; nth++) devices.push(await personalized(app, surroundings, random));
        const acknowledged = new Map(devices.map(({ devEUI }) => [devEUI, [] as number[]]));
        for (let fCnt = 0; fCnt < ends; fCnt++) {
          const arriving = devices.map(async ({ devEUI, device }) => {
            const frame = device.uplink({ fPort: 1, data: Uint8Array.of(fCnt) });
            if (await gateway.receiveFrame(frame).acknowledged) acknowledged.get(devEUI)!.push(fCnt);
          });
          // At different moments: while copies are written, while uplinks are, or between them.
          await sleep(random() * 300);
          await writers.started.at(-1)?.terminate();
          await Promise.all(arriving);
        }
        assert.ok(writers.started.length > 1);
        const expected = [...acknowledged.values()].flat().length;
        for (let tries = 0; tries < 1200; tries++) {
          if ((await uplinkEvents(app)).filter(({ dev_eui }) => acknowledged.has(dev_eui)).length >= expected) break;
          await sleep(50);
        }
        const events = countersByDevice(await uplinkEvents(app));
        for (const [devEUI, counters] of acknowledged) {
          const shown = events.get(devEUI) ?? [];
          assert.deepEqual(
            shown,
            [...new Set(shown)].sort((a, b) => a - b),
            `${devEUI}: each once, in order`,
          );
          const lost = counters.filter((fCnt) => !shown.includes(fCnt));
          assert.deepEqual(lost, [], devEUI);
        }
      });
  });
}

async function uplinkEvents(app: TestApp): Promise<{ dev_eui: string; payload: string }[]> {
  const { query } = app.parts.database;
  return query.selectFrom('event').select(['dev_eui', 'payload']).where('type', '=', 'up').orderBy('pos').execute();
}

function countersByDevice(events: Awaited<ReturnType<typeof uplinkEvents>>): Map<string, number[]> {
  const counters = new Map<string, number[]>();
  for (const { dev_eui, payload } of events) {
    const { fCnt = 0 } = JSON.parse(payload) as { fCnt?: number };
    counters.set(dev_eui, [...(counters.get(dev_eui) ?? []), fCnt]);
  }
  return counters;
}

/** A device with a fixed session, so that its frames are known in advance. */
async function personalized(app: TestApp, surroundings: Parameters<typeof createDevice>[1], random: () => number) {
  const devEUI = await createDevice(app, surroundings);
  const { devAddr } = await app.call(operations.device.getRandomDevAddr, { devEUI });
  const keys = { appSKey: nwkKey, nwkSEncKey: nwkKey, sNwkSIntKey: nwkKey, fNwkSIntKey: nwkKey };
  await app.call(operations.device.activate, { deviceActivation: { devEUI, devAddr, ...keys } });
  const key = Uint8Array.fromHex(nwkKey);
  const session = { devAddr, keys: { nwkSKey: key, appSKey: key }, dataRate: 5 };
  return { devEUI, device: createSimulatedDevice({ devEUI, session, macVersion: '1.0.3', region: 'EU868', random }) };
}
