import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { promisify } from 'node:util';

const resolved = (file: string) => JSON.stringify(import.meta.resolve(file));

/**
 * Starts a server in a child process, and prints which of these modules it has loaded: they take megabytes and are
 * unused.
 */
const script = `
  import { _cache } from 'node:module';
  import { startServer } from ${resolved('./compose.ts')};
  import { readConfig } from ${resolved('./config.ts')};
  await startServer(readConfig({ args: [], environment: process.env }));
  const names = [...process.moduleLoadList, ...Object.keys(_cache)];
  console.log(JSON.stringify({ all: names.length, needless: names.filter((name) => /deps\\/undici|\\/ajv\\/|\\/fast-uri\\//.test(name)) }));
  process.exit(0);
`;

it("a server starts without Node's web client and without Fastify's schema compilers", async () => {
  const data = await mkdtemp(join(tmpdir(), 'hilltop-loaded-'));
  const anyPort = '127.0.0.1:0';
  const env = {
    ...process.env,
    HILLTOP_DATA: data,
    HILLTOP_LOG_LEVEL: 'silent',
    HILLTOP_BASICS_STATION: '',
    HILLTOP_GRPC: '',
    HILLTOP_HTTP: anyPort,
    HILLTOP_UDP: anyPort,
    HILLTOP_MQTT: anyPort,
    HILLTOP_MQTTS: anyPort,
  };
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', script];
  try {
    const { stdout } = await promisify(execFile)(process.execPath, args, { env });
    const { all, needless } = JSON.parse(stdout.trim().split('\n').at(-1)!) as { all: number; needless: string[] };
    assert.ok(all > 200);
    assert.deepEqual(needless, []);
  } finally {
    await rm(data, { recursive: true });
  }
});
