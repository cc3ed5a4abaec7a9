import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type Client, loadClient } from '@hilltop/contract/client';
import { startArguments } from '../start-command.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The server as `npm start` runs it, in a process of its own that ends with this one. */
export function spawnServer(environment: Record<string, string>, nodeOptions: readonly string[] = []): ChildProcess {
  const server = spawn(process.execPath, [...nodeOptions, ...startArguments], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => server.kill(signal));
  process.on('exit', () => server.kill());
  return server;
}

/** Resolves true once the server answers, false when it ended before. */
export async function isUp(server: ChildProcess, url: string): Promise<boolean> {
  const gone = once(server, 'exit').then(() => true);
  for (;;) {
    const answer = await fetch(`${url}/health`).catch(() => undefined);
    if (answer?.ok) return true;
    const pause = new Promise<false>((resolve) => setTimeout(resolve, 100, false));
    if (await Promise.race([gone, pause])) return false;
  }
}

/** A client of the API with the rights of that person. */
export async function signIn(baseURL: string, email: string, password: string): Promise<Client> {
  let token: string | null = null;
  const client = loadClient({ fetch, baseURL, token: () => token });
  ({ jwt: token } = await client.internal.login({ email, password }));
  return client;
}
