import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@hilltop/simulator';

const program = '/usr/bin/influxd';

/** Whether this machine has the database; scripts/testing/machine.ts installs it where allowed. */
export const needsInfluxDB = { skip: existsSync(program) ? false : 'influxdb is not installed' };

export interface InfluxDB extends AsyncDisposable {
  /** Without a slash at the end. */
  url: string;
  /** The result of a statement, as rows. */
  query: (statement: string) => Promise<Record<string, unknown>[]>;
}

interface InfluxAnswer {
  results: { series?: { columns: string[]; values: unknown[][]; tags?: Record<string, string> }[]; error?: string }[];
}

/** Debian's InfluxDB 1 on its own ports; `fields` is a database of the user `writer` with this password. */
export async function startInfluxDB(password: string): Promise<InfluxDB> {
  const directory = mkdtempSync(join(tmpdir(), 'hilltop-influxdb-'));
  const [http, rpc] = [await freePort(), await freePort()];
  const config = `
reporting-disabled = true
bind-address = "127.0.0.1:${rpc}"
[meta]
  dir = "${directory}/meta"
[data]
  dir = "${directory}/data"
  wal-dir = "${directory}/wal"
[monitor]
  store-enabled = false
[http]
  bind-address = "127.0.0.1:${http}"
  auth-enabled = true
`;
  const file = join(directory, 'influxdb.conf');
  writeFileSync(file, config);
  const running = spawn(program, ['-config', file], { stdio: 'ignore' });
  const url = `http://127.0.0.1:${http}`;
  const credentials = `Basic ${Buffer.from(`writer:${password}`).toString('base64')}`;

  async function query(statement: string): Promise<Record<string, unknown>[]> {
    const answer = await fetch(`${url}/query?db=fields&epoch=ms&q=${encodeURIComponent(statement)}`, {
      method: 'POST',
      headers: { Authorization: credentials },
    });
    const { results } = (await answer.json()) as InfluxAnswer;
    if (results[0]?.error) throw new Error(results[0].error);
    return (results[0]?.series ?? []).flatMap(({ columns, values }) =>
      values.map((row) => Object.fromEntries(columns.map((column, index) => [column, row[index]]))),
    );
  }

  const isUp = () =>
    fetch(`${url}/ping`).then(
      () => true,
      () => false,
    );
  while (!(await isUp())) {
    if (running.exitCode !== null) throw new Error(`influxd ended with ${running.exitCode}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await query(`create user writer with password '${password}' with all privileges`);
  await query('create database fields');
  return {
    url,
    query,
    [Symbol.asyncDispose]: async () => {
      running.kill();
      if (running.exitCode === null) await once(running, 'exit');
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
