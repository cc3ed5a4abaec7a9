import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type Client, loadClient } from '@hilltop/contract/client';
import manifest from '../../package.json' with { type: 'json' };

const ownRoot = fileURLToPath(new URL('../..', import.meta.url));
const startArguments = manifest.scripts.start.split(' ').slice(1);

interface Spawned {
  nodeOptions?: readonly string[];
  stdio?: StdioOptions;
  /** Whether Ctrl+C in the terminal does not reach the server. */
  detached?: boolean;
  /** Prefix of the command. */
  within?: readonly string[];
  /** The folder of another checkout. */
  root?: string | undefined;
}

/** Starts a server process as `npm start` does. */
export function spawnServer(
  environment: Record<string, string>,
  { nodeOptions = [], stdio = 'inherit', detached = false, within = [], root = ownRoot }: Spawned = {},
): ChildProcess {
  const env = { ...process.env, ...environment };
  const [program, ...more] = [...within, process.execPath, ...nodeOptions, ...startArguments] as [string, ...string[]];
  return spawn(program, more, { cwd: root, stdio, env, detached });
}

/** Forwards signals to the server, so that it stops with this process. */
export function endWithThisProcess(server: ChildProcess): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => server.kill(signal));
  process.on('exit', () => server.kill());
}

/** Resolves with true when the server answers, and with false when it ends or does not answer in time. */
export async function isUp(
  server: ChildProcess,
  url: string,
  { everyMs = 100, withinMs = Number.POSITIVE_INFINITY } = {},
): Promise<boolean> {
  const until = performance.now() + withinMs;
  const gone = once(server, 'exit').then(() => true);
  while (performance.now() < until) {
    const answer = await fetch(`${url}/health`).catch(() => undefined);
    if (answer?.ok) return true;
    const pause = new Promise<false>((resolve) => setTimeout(resolve, everyMs, false));
    if (await Promise.race([gone, pause])) return false;
  }
  return false;
}

/** A client of the API with the rights of this user. */
export async function signIn(baseURL: string, email: string, password: string): Promise<Client> {
  let token: string | null = null;
  const client = loadClient({ fetch, baseURL, token: () => token });
  ({ jwt: token } = await client.internal.login({ email, password }));
  return client;
}
