import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { freePort, planNetwork, seededRandom } from '@hilltop/simulator';
import { historyOf, writeHistory } from './history.ts';
import { outagesOf, writeOutages } from './outages.ts';
import { provision } from './provision.ts';
import { isUp, signIn, spawnServer } from './server.ts';
import { writeValues } from './values.ts';

const plan = planNetwork({ gateways: 3, devices: 20, random: seededRandom(2026) });

describe('the history of the demo', () => {
  const data = mkdtempSync(join(tmpdir(), 'hilltop-history-'));
  after(() => rmSync(data, { recursive: true, force: true }));

  it('has equal sums by frequency, by data rate and of received uplinks', () => {
    const facts = historyOf(plan, Date.now(), seededRandom(1));
    const sum = (counters: Record<string, number>, prefix: string) =>
      Object.entries(counters).reduce((all, [name, value]) => all + (name.startsWith(prefix) ? value : 0), 0);
    const received = facts.filter(({ counters }) => counters['rx_count']);
    assert.ok(received.length > 500);
    for (const { subject, counters } of received) {
      const count = counters[subject.startsWith('device:') ? 'rx_count' : 'rx_ok_count'];
      assert.deepEqual([sum(counters, 'rx_freq_'), sum(counters, 'rx_dr_')], [count, count]);
      assert.equal(sum(counters, 'tx_status_'), counters['tx_count'] ?? 0);
      assert.ok(Object.values(counters).every(Number.isFinite));
    }
    assert.ok(facts.every(({ at }) => at < Date.now()));
  });

  it('appears in the daily and hourly statistics of the server', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const [email, password] = ['admin@example.org', 'correct horse battery staple'];
    const server = spawnServer(
      {
        HILLTOP_HTTP: url.slice('http://'.length),
        HILLTOP_UDP: '127.0.0.1:0',
        HILLTOP_BASICS_STATION: '',
        HILLTOP_GRPC: '',
        HILLTOP_MQTT: '',
        HILLTOP_MQTTS: '',
        HILLTOP_DATA: data,
        HILLTOP_LOG_LEVEL: 'warn',
        HILLTOP_ADMIN_EMAIL: email,
        HILLTOP_ADMIN_PASSWORD: password,
      },
      { stdio: ['ignore', 'ignore', 'inherit'] },
    );
    try {
      assert.ok(await isUp(server, url, { everyMs: 10, withinMs: 60_000 }));
      const client = await signIn(url, email, password);
      await provision(client, plan);
      writeHistory(data, historyOf(plan, Date.now(), seededRandom(1)));
      const made = outagesOf(plan, Date.now(), seededRandom(1));
      writeOutages(data, made, Date.now());

      const back = (days: number) => ({
        startTimestamp: new Date(Date.now() - days * 86_400_000).toISOString(),
        endTimestamp: new Date().toISOString(),
      });
      const { gatewayID } = plan.gateways[0]!;
      const days = (await client.gateway.getStats({ gatewayID, interval: 'DAY', ...back(29) })).result;
      assert.equal(days.length, 30);
      const { startTimestamp: since, endTimestamp: until } = back(29);
      const availability = await client.gatewayAvailability.get({ gatewayID, start: since, end: until });
      const { outages, onlineShare } = availability;
      assert.equal(outages.length, made.filter((one) => one.gatewayID === gatewayID).length);
      assert.ok(onlineShare! > 0.8 && onlineShare! < 1);
      assert.ok(
        days.slice(0, -1).every(({ rxPacketsReceivedOK, txPacketsEmitted }) => rxPacketsReceivedOK > txPacketsEmitted),
      );
      const { devEUI } = plan.devices.find(({ wrongKey, sensor }) => !wrongKey && sensor === 'climate')!;
      const hours = (await client.device.getStats({ devEUI, interval: 'HOUR', ...back(1) })).result;
      assert.ok(hours.filter(({ rxPackets, gwRssi }) => rxPackets > 0 && gwRssi < -30).length > 15);

      await writeValues(data, plan, Date.now(), seededRandom(1));
      const { startTimestamp: start, endTimestamp: end } = back(7);
      const { result } = await client.series.get({ devEUI, fields: ['@uplinks', '@rssi'], start, end });
      assert.ok(result.every(({ at }) => at.length > 6 * 24));
    } finally {
      server.kill();
    }
  });
});
