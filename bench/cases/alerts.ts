import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@hilltop/contract/client';
import type { Case } from '../case.ts';
import { createBaseRecords } from '../driver/base-records.ts';
import { createABPFleet } from '../driver/fleet.ts';
import { openGateways } from '../driver/gateways.ts';
import { startServer } from '../driver/server.ts';
import { startUplinkRunner } from '../driver/uplink-run.ts';

const perSecond = 500;
const ruleCount = 50;
const mostMs = 5000;

/** The latency of uplinks with and without 50 rules on values, and how soon an alert fires. */
export const alerts: Case = async (bench) => {
  const { quick, say } = bench;
  await using server = await startServer(bench);
  const { client } = server;
  const ground = await createBaseRecords(client);
  say('provisioning devices with sessions');
  const fleet = await createABPFleet(client, ground, 500);
  using gateways = await openGateways(server.hilltop.udpPort, ground.gatewayIDs);
  using runner = await startUplinkRunner(server, fleet, gateways);
  const seconds = quick ? 10 : 30;

  await runner.run(200, 3);
  const before = await runner.run(perSecond, seconds);
  say(`without rules: p99 ${before.latency.p99} ms, ${before.processor} % of a core`);
  const ruleID = await createRules(client, ground.organizationID);
  const firing = firstFiring(client, ground.organizationID, ruleID);
  const after = await runner.run(perSecond, seconds);
  const firesMs = await firing;
  say(
    `with ${ruleCount} rules: p99 ${after.latency.p99} ms, ${after.processor} % of a core, fires after ${firesMs} ms`,
  );
  return {
    rows: [
      {
        work: `${ruleCount} rules on values at ${perSecond} uplinks/s: from the first uplink to the alert`,
        before: '–',
        target: '5 s',
        ours: `${(firesMs / 1000).toFixed(1)} s`,
        isBroken: firesMs > mostMs,
      },
      {
        work: 'p99 of the uplinks with the rules, and without',
        before: '–',
        target: 'equal',
        ours: `${after.latency.p99} ms, ${before.latency.p99} ms; ${after.processor} %, ${before.processor} % of a core`,
        isBroken: after.lost > 0,
      },
    ],
    measured: { before, after, firesMs },
  };
};

/** All but the last one never begin an alert; the last one does with each device. */
async function createRules(client: Client, organizationID: string): Promise<string> {
  let last = '';
  for (let nth = 1; nth <= ruleCount; nth += 1) {
    const value = {
      field: nth % 2 === 0 ? '@rssi' : '@snr',
      comparison: 'ABOVE',
      threshold: 1000,
      uplinks: 1,
    } as const;
    const matching = { field: '@dr', comparison: 'ABOVE', threshold: 4, uplinks: 1 } as const;
    const rule = { organizationID, name: `rule ${nth}`, isEnabled: true, condition: 'VALUE' } as const;
    const made = await client.alertRule.create({ alertRule: { ...rule, value: nth === ruleCount ? matching : value } });
    last = made.id;
  }
  return last;
}

async function firstFiring(client: Client, organizationID: string, ruleID: string): Promise<number> {
  const from = performance.now();
  for (;;) {
    const { totalCount } = await client.alert.list({ organizationID, ruleID, state: 'FIRING', limit: 0 });
    const elapsed = Math.round(performance.now() - from);
    if (totalCount !== '0' || elapsed > 60_000) return elapsed;
    await sleep(100);
  }
}
