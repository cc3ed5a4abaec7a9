import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '@hilltop/simulator';
import { findProgram } from '../testing/machine.ts';
import { startPostgres } from '../testing/postgres.ts';

/** The services that several instances need. */
export interface DemoServices extends AsyncDisposable {
  databaseURL: string;
  redisURL: string;
}

/** A message that names missing programs; undefined when all are installed. */
export function missingServices(): string | undefined {
  const missing = (['postgresql', 'redis-server'] as const).filter((name) => findProgram(name) === undefined);
  if (missing.length === 0) return undefined;
  return `Several instances need PostgreSQL and Redis. Install what is missing: apt-get install ${missing.join(' ')}`;
}

/** Starts an empty PostgreSQL and Redis on free ports. Disposing removes them with their data. */
export async function startServices(): Promise<DemoServices> {
  await using begun = new AsyncDisposableStack();
  const postgres = await startPostgres(findProgram('postgresql')!);
  begun.defer(() => postgres.stop());
  const port = await freePort();
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', '/'];
  // Ctrl+C reaches only this process: Redis stops after the instances.
  const redis = spawn(findProgram('redis-server')!, options, { stdio: 'ignore', detached: true });
  begun.defer(async () => {
    if (redis.exitCode !== null) return;
    redis.kill();
    await once(redis, 'exit');
  });
  while (!(await listens(port))) {
    if (redis.exitCode !== null) throw new Error('redis-server ended at once.');
    await pause(20);
  }
  const all = begun.move();
  const redisURL = `redis://127.0.0.1:${port}`;
  return { databaseURL: postgres.url, redisURL, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

async function listens(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
