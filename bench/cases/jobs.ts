import { setTimeout as delay } from 'node:timers/promises';
import type { InputOf, Job, operations } from '@hilltop/contract';
import type { Client } from '@hilltop/contract/client';
import { seededRandom } from '@hilltop/simulator';
import type { Bench, Case, Row } from '../case.ts';
import { type BaseRecords, createBaseRecords, forEach, numbered } from '../driver/base-records.ts';
import { createABPFleet, deviceOf, sendOneOfEach } from '../driver/fleet.ts';
import { type Gateways, openGateways } from '../driver/gateways.ts';
import { type BenchServer, startServer } from '../driver/server.ts';
import { startUplinkRunner, type UplinkRunner } from '../driver/uplink-run.ts';
import { promiseRow } from '../faults/promise.ts';

type JobInput = InputOf<typeof operations.job.create>;

const uplinksPerSecond = 500;
const mostTagSeconds = 20;
const mostMoveSeconds = 30;
const mostDelayMs = 50;

/** Changes 10,000 devices while others send. */
export const jobs: Case = async (bench) => {
  const { quick, say } = bench;
  await using server = await startServer(bench);
  const { client } = server;
  const ground = await createBaseRecords(client);
  const fleet = await createABPFleet(client, ground, 500);
  const count = quick ? 2000 : 10_000;
  say(`creating ${count} devices`);
  await createIdle(client, ground, count);
  const application = await client.application.get({ id: ground.applicationID });
  const { id: target } = await client.application.create({
    application: { ...application.application, name: 'bench-target' },
  });
  using gateways = await openGateways(server.hilltop.udpPort, ground.gatewayIDs);
  using runner = await startUplinkRunner(server, fleet, gateways);
  await runner.run(200, 3);
  const before = await runner.run(uplinksPerSecond, quick ? 4 : 10);

  const selection = { search: 'idle-' };
  const tagging = timed(client, ground, { kind: 'CHANGE_DEVICE_TAGS', action: { set: { site: 'north' } }, selection });
  const during = await runner.run(uplinksPerSecond, quick ? 4 : 10);
  const tagged = await tagging;
  const moved = await timed(client, ground, { kind: 'MOVE_DEVICES', action: { applicationID: target }, selection });
  const undone = await ended(client, (await client.job.undo({ id: moved.job.id })).job.id);
  const slower = Math.round(during.latency.p99 - before.latency.p99);
  const deletion = await deleteActive(bench, { server, ground, gateways, runner });
  return {
    rows: [
      {
        work: `${count} devices tagged, while others send ${uplinksPerSecond} uplinks/s`,
        before: '-',
        target: `${mostTagSeconds} s, p99 + ${mostDelayMs} ms, none lost`,
        ours: `${tagged.seconds} s, p99 + ${slower} ms, ${during.lost} lost`,
        isBroken: tagged.job.done !== count || during.lost > 0,
      },
      {
        work: `${count} devices moved`,
        before: '-',
        target: `${mostMoveSeconds} s`,
        ours: `${moved.seconds} s`,
        isBroken: moved.job.done !== count || undone.done !== count,
      },
      deletion.row,
    ],
    measured: { before, during, tagged, moved, undone, deletion },
  };
};

interface Running {
  server: BenchServer;
  ground: BaseRecords;
  gateways: Gateways;
  runner: UplinkRunner;
}

/** Deletes an application whose devices have all sent, while others send. */
async function deleteActive({ quick, say }: Bench, { server: { client }, ground, gateways, runner }: Running) {
  const { application } = await client.application.get({ id: ground.applicationID });
  const { id } = await client.application.create({ application: { ...application!, name: 'bench-deleted' } });
  const count = quick ? 1000 : 5000;
  say(`creating ${count} active devices`);
  await sendOneOfEach(await createABPFleet(client, { ...ground, applicationID: id }, count, { first: 1000 }), gateways);
  const seconds = quick ? 4 : 10;
  const before = await runner.run(uplinksPerSecond, seconds);
  const startedMs = performance.now();
  const deleting = client.application.delete({ id }).then(() => Math.round(performance.now() - startedMs) / 1000);
  const during = await runner.run(uplinksPerSecond, seconds);
  const took = await deleting;
  const row: Row = {
    work: `an application with ${count} active devices deleted, while others send ${uplinksPerSecond} uplinks/s`,
    before: '-',
    target: 'no other uplink delayed, none lost',
    ours: `${took} s, p99 ${before.latency.p99} and ${during.latency.p99} ms, ${during.lost} lost`,
    isBroken: during.lost > 0,
  };
  return { row, before, during, took };
}

/** Kills the server ten times within one job, whose action is refused when it is repeated. */
export const jobKills: Case = async (bench) => {
  const { quick, say } = bench;
  await using server = await startServer(bench);
  const { client, hilltop } = server;
  const ground = await createBaseRecords(client);
  const count = quick ? 2000 : 8000;
  await createIdle(client, ground, count);
  const { id: multicastGroupID } = await client.multicastGroup.create({
    multicastGroup: {
      ...{ name: 'all', applicationID: ground.applicationID, mcAddr: '01020304', frequency: 869_525_000, dr: 0 },
      ...{ mcNwkSKey: numbered('01', 1, 32), mcAppSKey: numbered('02', 2, 32), groupType: 'CLASS_C' },
    },
  });
  const { job } = await client.job.create({
    ...{ organizationID: ground.organizationID, kind: 'ADD_TO_MULTICAST_GROUP' },
    ...{ action: { multicastGroupID }, selection: { search: 'idle-' } },
  });
  const kills = await killWithin(server, job!.id, 10);
  const found = await ended(client, job!.id);
  const { totalCount } = await client.device.list({ multicastGroupID, limit: 0 });
  say(`${kills} kills while the job ran; ${hilltop.url}`);
  return {
    rows: [
      promiseRow(`${kills} kills within a job of ${count} devices`, [
        { name: 'kills missing', found: 10 - kills, most: 0 },
        { name: 'not done', found: count - found.done, most: 0 },
        { name: 'done twice', found: found.refused + found.failed, most: 0 },
        { name: 'missing in the group', found: count - Number(totalCount), most: 0 },
      ]),
    ],
    measured: { kills, found },
  };
};

/** Answers how many times the server was killed while the job was unfinished. */
async function killWithin({ hilltop, client }: BenchServer, id: string, most: number): Promise<number> {
  const random = seededRandom(most);
  let kills = 0;
  while (kills < most) {
    await delay(random() * 250);
    const { job } = await client.job.get({ id });
    if (job.endedAt) return kills;
    await hilltop.stop('SIGKILL');
    kills += 1;
    await hilltop.start();
  }
  return kills;
}

const createIdle = (client: Client, ground: BaseRecords, count: number) =>
  forEach(count, (index) => {
    const devEUI = numbered('1d', index, 16);
    const device = deviceOf(devEUI, ground, ground.profiles.personalized);
    return client.device.create({ device: { ...device, name: `idle-${index}` } });
  });

async function timed(client: Client, { organizationID }: BaseRecords, input: Partial<JobInput>) {
  const startedMs = performance.now();
  const { job } = await client.job.create({ organizationID, ...input } as JobInput);
  const found = await ended(client, job!.id);
  return { job: found, seconds: Math.round((performance.now() - startedMs) / 100) / 10 };
}

async function ended(client: Client, id: string): Promise<Job> {
  for (;;) {
    const { job } = await client.job.get({ id });
    if (job.endedAt) return job;
    await delay(50);
  }
}
