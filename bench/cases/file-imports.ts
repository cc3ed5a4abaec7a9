import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@hilltop/contract/client';
import type { Case } from '../case.ts';
import { type BaseRecords, createBaseRecords, numbered } from '../driver/base-records.ts';
import { startServer } from '../driver/server.ts';

const pollMs = 50;

/** An import of devices with keys from a CSV file: until its columns are known, its rows are checked, all are created. */
export const fileImports: Case = async (bench) => {
  const devices = bench.quick ? 2_000 : 10_000;
  await using server = await startServer(bench);
  const ground = await createBaseRecords(server.client);
  const measured = await importDevices(server.client, ground, devices);
  const what = `import of ${devices.toLocaleString('en')} devices with keys`;
  const rowOf = (part: string, target: string, ms: number) => ({
    work: `${what}: ${part}`,
    before: '-',
    target,
    ours: `${(ms / 1000).toFixed(1)} s`,
  });
  const rows = [
    rowOf('read', '-', measured.readMs),
    rowOf('check', '5 s', measured.checkMs),
    rowOf('run', '15 s', measured.runMs),
  ];
  return { rows, measured: { devices, ...measured } };
};

async function importDevices(
  client: Client,
  { organizationID, applicationID, profiles }: BaseRecords,
  devices: number,
) {
  const lines = Array.from({ length: devices }, (_, at) =>
    [numbered('70b3d5', at, 16), `meter-${at}`, numbered('aa', at, 32), at % 9].join(),
  );
  const file = Buffer.from(`devEUI,name,appKey,tag.floor\n${lines.join('\n')}\n`).toString('base64');
  const { id } = await client.fileImport.create({ organizationID, kind: 'DEVICES' });
  const began = performance.now();
  const { columns } = await client.fileImport.upload({ id, name: 'meters.csv', file });
  const read = performance.now();
  const { check } = await client.fileImport.update({
    id,
    columns: columns.map(({ field, isReversed }) => ({ field, isReversed })),
    constants: { application: applicationID, deviceProfile: profiles.joining },
  });
  const checked = performance.now();
  if (check?.createCount !== devices) throw new Error(`The check found ${JSON.stringify(check)}.`);
  const { jobID } = await client.fileImport.start({ id });
  for (;;) {
    const { job } = await client.job.get({ id: jobID });
    if (job.state === 'DONE' && job.done === devices) break;
    if (job.endedAt !== null || job.state === 'PAUSED')
      throw new Error(`The import ended with ${JSON.stringify(job)}.`);
    await sleep(pollMs);
  }
  return { readMs: read - began, checkMs: checked - read, runMs: performance.now() - checked };
}
