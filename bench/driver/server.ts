import { type Client, loadClient } from '@hilltop/contract/client';
import { type Hilltop, startHilltop } from '../../e2e/hilltop.ts';
import type { Bench } from '../case.ts';

/** A server process of a case's own and a signed-in client. */
export interface BenchServer extends AsyncDisposable {
  hilltop: Hilltop;
  client: Client;
  token: string;
}

/** Starts the server as users run it: default settings, its log lines written and thrown away. */
export async function startServer({ settings }: Pick<Bench, 'settings'>): Promise<BenchServer> {
  const hilltop = await startHilltop({ HILLTOP_LOG_LEVEL: 'info', ...settings });
  try {
    const token = await signIn(hilltop);
    const client = loadClient({ fetch, baseURL: hilltop.url, token: () => token });
    return { hilltop, client, token, [Symbol.asyncDispose]: () => leave(hilltop) };
  } catch (error) {
    await hilltop.remove();
    throw error;
  }
}

async function signIn({ url, email, password }: Hilltop): Promise<string> {
  const client = loadClient({ fetch, baseURL: url, token: () => null });
  return (await client.internal.login({ email, password })).jwt;
}

/** Lets the process end by itself first, so that a profile of it is written. */
async function leave(hilltop: Hilltop): Promise<void> {
  await hilltop.stop();
  await hilltop.remove();
}
