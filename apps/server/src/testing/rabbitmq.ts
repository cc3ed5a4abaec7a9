import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@hilltop/simulator';

const program = '/usr/lib/rabbitmq/bin/rabbitmq-server';

/** Whether this machine has the broker; scripts/testing/machine.ts installs it where allowed. */
export const hasRabbitMQ = existsSync(program);

export interface RabbitMQ extends AsyncDisposable {
  /** With the guest account. */
  url: string;
}

/** Starts a broker with its own ports and data and resolves once it accepts connections. */
export async function startRabbitMQ(): Promise<RabbitMQ> {
  const folder = await mkdtemp(join(tmpdir(), 'hilltop-rabbitmq-'));
  const [port, names, distribution] = [await freePort(), await freePort(), await freePort()];
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    ERL_EPMD_PORT: String(names),
    RABBITMQ_NODENAME: `hilltop${port}@localhost`,
    RABBITMQ_NODE_IP_ADDRESS: '127.0.0.1',
    RABBITMQ_NODE_PORT: String(port),
    RABBITMQ_DIST_PORT: String(distribution),
    RABBITMQ_MNESIA_BASE: join(folder, 'data'),
    RABBITMQ_LOG_BASE: join(folder, 'log'),
    RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, 'plugins'),
    RABBITMQ_CONFIG_FILE: join(folder, 'none'),
  };
  await writeFile(env.RABBITMQ_ENABLED_PLUGINS_FILE, '[].');
  const server = spawn(program, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<void>((resolve) => server.on('exit', () => resolve()));
  const started = Promise.withResolvers<void>();
  let output = '';
  for (const stream of [server.stdout, server.stderr])
    stream.on('data', (part: Buffer) => {
      output += String(part);
      if (/completed with \d+ plugins/.test(output)) started.resolve();
    });
  void ended.then(() => started.reject(new Error(`RabbitMQ ended: ${output}`)));
  await started.promise;
  return {
    url: `amqp://guest:guest@127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.kill('SIGTERM');
      await ended;
      // The Erlang port mapper (epmd) outlives the broker.
      spawnSync('epmd', ['-kill'], { env });
      await rm(folder, { recursive: true, force: true });
    },
  };
}
