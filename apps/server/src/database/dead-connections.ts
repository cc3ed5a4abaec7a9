import pg from 'pg';

/** `processID` is the database's id of the connection. */
type Client = pg.PoolClient & { processID: number };

/** The queries that run on one connection. */
export interface QueryActivity {
  begins(): void;
  ends(): void;
}

interface Watched {
  queries: number;
  bytesRead: number;
  /** By `performance.now()`. */
  silentSince: number;
}

const busy = `select pid from pg_stat_activity
  where pid = any($1::int[]) and state not in ('idle', 'idle in transaction', 'idle in transaction (aborted)')`;

/**
 * Closes connections that a firewall has dropped, or a cut cable: TCP gives up only after a quarter of an hour, and a
 * query would wait as long. When a connection has received nothing for `silentMs`, a new connection asks the database
 * whether it still runs the query; if not, the old one is closed as if the database had closed it. When the database
 * cannot be asked, no connection is closed.
 */
export function closeDeadConnections({
  url,
  silentMs,
}: {
  url: string;
  silentMs: number;
}): (client: pg.PoolClient) => QueryActivity {
  const watched = new Map<pg.PoolClient, Watched>();
  let isChecking = false;

  async function keepChecking(): Promise<void> {
    isChecking = true;
    while (watched.size > 0) {
      await new Promise((resolve) => setTimeout(resolve, silentMs / 4).unref());
      const silent = silentClients();
      if (silent.length > 0) await closeUnknown(silent).catch(() => undefined);
    }
    isChecking = false;
  }

  function silentClients(): Client[] {
    const now = performance.now();
    const silent: Client[] = [];
    for (const [client, one] of watched) {
      const bytesRead = bytesReadBy(client);
      if (one.queries === 0) watched.delete(client);
      else if (bytesRead !== one.bytesRead) Object.assign(one, { bytesRead, silentSince: now });
      else if (now - one.silentSince >= silentMs) silent.push(client as Client);
    }
    return silent;
  }

  async function closeUnknown(silent: readonly Client[]): Promise<void> {
    const asking = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000, query_timeout: 5_000 });
    asking.on('error', () => undefined);
    await asking.connect();
    try {
      const { rows } = await asking.query<{ pid: number }>(busy, [silent.map(({ processID }) => processID)]);
      const known = new Set(rows.map(({ pid }) => pid));
      for (const client of silent) if (!known.has(client.processID)) client.connection.stream.destroy();
    } finally {
      void asking.end().catch(() => undefined);
    }
  }

  return (client) => {
    const one: Watched = { queries: 0, bytesRead: 0, silentSince: 0 };
    return {
      begins() {
        one.queries += 1;
        if (one.queries > 1) return;
        Object.assign(one, { bytesRead: bytesReadBy(client), silentSince: performance.now() });
        watched.set(client, one);
        if (!isChecking) void keepChecking();
      },
      ends() {
        one.queries -= 1;
      },
    };
  };
}

const bytesReadBy = ({ connection }: pg.PoolClient) =>
  (connection.stream as unknown as { bytesRead: number }).bytesRead;
