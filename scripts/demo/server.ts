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
  /** Not ended by Ctrl+C along with us. */
  detached?: boolean;
  /** What its command begins with. */
  within?: readonly string[];
  /** Of another checkout. */
  root?: string | undefined;
}

/** The server as `npm start` runs it, in a process of its own. */
export function spawnServer(
  environment: Record<string, string>,
  { nodeOptions = [], stdio = 'inherit', detached = false, within = [], root = ownRoot }: Spawned = {},
): ChildProcess {
  const env = { ...process.env, ...environment };
  const [program, ...more] = [...within, process.execPath, ...nodeOptions, ...startArguments] as [string, ...string[]];
  return spawn(program, more, { cwd: root, stdio, env, detached });
}

/** The server shall not outlive this process, and may finish when it is stopped. */
export function endWithThisProcess(server: ChildProcess): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => server.kill(signal));
  process.on('exit', () => server.kill());
}

/** Resolves true once the server answers, false when it ended before or does not answer in time. */
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

/** A client of the API with the rights of that person. */
export async function signIn(baseURL: string, email: string, password: string): Promise<Client> {
  let token: string | null = null;
  const client = loadClient({ fetch, baseURL, token: () => token });
  ({ jwt: token } = await client.internal.login({ email, password }));
  return client;
}
