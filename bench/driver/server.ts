import { type Client, loadClient } from '@hilltop/contract/client';
import { type Hilltop, startHilltop } from '../../e2e/hilltop.ts';
import type { TestPostgres } from '../../scripts/testing/postgres.ts';
import type { Bench } from '../case.ts';
import { ownPostgres } from './postgres.ts';

/** A server process of a case's own and a signed-in client. */
export interface BenchServer extends AsyncDisposable {
  hilltop: Hilltop;
  client: Client;
  token: string;
  /** Where its data is when it is not SQLite. */
  postgres: TestPostgres | undefined;
}

/** Starts the server as users run it: default settings, its log lines written and thrown away. */
export async function startServer({
  settings,
  database,
  root,
}: Pick<Bench, 'settings' | 'database'> & {
  /** Of another checkout. */ root?: string | undefined;
}): Promise<BenchServer> {
  await using begun = new AsyncDisposableStack();
  const postgres = database === 'postgres' ? await ownPostgres() : undefined;
  begun.defer(async () => postgres?.stop());
  const place = postgres && { HILLTOP_DATABASE_URL: postgres.url };
  const hilltop = await startHilltop({ HILLTOP_LOG_LEVEL: 'info', ...place, ...settings }, { root });
  begun.defer(hilltop.remove);
  // Lets the process end by itself first, so that a profile of it is written.
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
