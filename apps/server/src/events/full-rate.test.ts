import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { operations } from '@hilltop/contract';
import { createDevice as createSimulatedDevice, type Gateway, seededRandom } from '@hilltop/simulator';
import { databases } from '../testing/databases.ts';
import { createDevice, createGateway, createSurroundings, nwkKey, simulateGateway } from '../testing/field.ts';
import { startTestApp, type TestApp } from '../testing/test-app.ts';

const deviceCount = 40;
const uplinksOfEach = 25;
/** With more, the socket buffer would overflow. */
const mostUnanswered = 100;

for (const kind of databases) {
  describe(`uplinks at the full rate on ${kind}`, () => {
    let app: TestApp;
    let gateways: Gateway[];
    before(async () => {
      app = await startTestApp(kind, { eventHistory: '100' });
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
      const below = (most: number) => Math.floor(random() * most);
      const devices: Awaited<ReturnType<typeof personalized>>[] = [];
      for (let nth = 0; nth < deviceCount; nth++) devices.push(await personalized(app, surroundings, random));
      const turns = devices.flatMap((one) => Array.from({ length: uplinksOfEach }, () => one));
      for (let at = turns.length - 1; at > 0; at--) {
        const other = below(at + 1);
        [turns[at], turns[other]] = [turns[other]!, turns[at]!];
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

      const seenCounts = () =>
        app.parts.database.query
          .selectFrom('event')
          .select(['dev_eui', 'payload'])
          .where('type', '=', 'up')
          .orderBy('pos')
          .execute();
      for (let tries = 0; tries < 1200 && (await seenCounts()).length < turns.length; tries++) await sleep(50);
      const events = Map.groupBy(await seenCounts(), ({ dev_eui }) => dev_eui);
      const inOrder = Array.from({ length: uplinksOfEach }, (_, fCnt) => fCnt);
      for (const { devEUI } of devices) {
        const counters = (events.get(devEUI) ?? []).map(
          ({ payload }) => (JSON.parse(payload) as { fCnt?: number }).fCnt ?? 0,
        );
        assert.deepEqual(counters, inOrder, devEUI);
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
  });
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
