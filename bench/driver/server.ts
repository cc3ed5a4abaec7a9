import { type Client, loadClient } from '@hilltop/contract/client';
import { type Hilltop, startHilltop } from '../../e2e/hilltop.ts';
import type { TestPostgres } from '../../scripts/testing/postgres.ts';
import type { Bench } from '../case.ts';
import { startBenchPostgres } from './postgres.ts';

/** A server process for one case and a signed-in client. */
export interface BenchServer extends AsyncDisposable {
  hilltop: Hilltop;
  client: Client;
  token: string;
  /** The URL of its database; SQLite when not given. */
  postgres: TestPostgres | undefined;
}

/** Starts the server as users run it: with default settings. Its log lines are written and discarded. */
export async function startServer({
  settings,
  database,
  root,
}: Pick<Bench, 'settings' | 'database'> & {
  /** The folder of another checkout. */ root?: string | undefined;
}): Promise<BenchServer> {
  await using begun = new AsyncDisposableStack();
  const postgres = database === 'postgres' ? await startBenchPostgres() : undefined;
  begun.defer(async () => postgres?.stop());
  const place = postgres && { HILLTOP_DATABASE_URL: postgres.url };
  const hilltop = await startHilltop({ HILLTOP_LOG_LEVEL: 'info', ...place, ...settings }, { root });
  begun.defer(hilltop.remove);
  // SIGTERM first, so that the process writes its profile.
  begun.defer(async () => void (await hilltop.stop()));
  const token = await signIn(hilltop);
  const client = loadClient({ fetch, baseURL: hilltop.url, token: () => token });
  const all = begun.move();
  return { hilltop, client, token, postgres, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

async function signIn({ url, email, password }: Hilltop): Promise<string> {
  const client = loadClient({ fetch, baseURL: url, token: () => null });
  return (await client.internal.login({ email, password })).jwt;
}
