import { type ApiError, type Operation, refusal, unauthenticated } from '@hilltop/contract';
import type { Logger } from 'pino';
import type { Bus } from '../bus/bus.ts';
import type { Database } from '../database/database.ts';
import { isStorageFailure } from '../database/storage-failure.ts';
import { checkAccess } from '../identity/access.ts';
import type { Principals } from '../identity/principals.ts';
import type { Metrics } from '../metrics.ts';
import { toApiError } from './errors.ts';
import type { RightsChecks } from './rights-checks.ts';
import { createRightsGrace } from './rights-grace.ts';

/** Pushes items until the signal aborts or there are no more. */
export type LiveSource = (request: unknown, push: (item: object) => void, signal: AbortSignal) => Promise<void>;
/** The source of each streaming operation, by the key of the operation. */
export type LiveSources = Readonly<Record<string, LiveSource>>;

export interface StreamDependencies {
  database: Database;
  bus: Pick<Bus, 'subscribe'>;
  principals: Pick<Principals, 'ofToken'>;
  metrics: Pick<Metrics, 'beginCall' | 'count'>;
  log: Pick<Logger, 'error'>;
}

/** The destination of a stream's items: a websocket, a response or a gRPC call. */
export type Outlet = {
  /** Called when the caller may see the stream, which may have no items for a long time. */
  begin?(): void;
  /** False when the client reads too slowly and the item was dropped. */
  send(result: object): boolean;
  /** Closes, with an error if there is a reason. */
  end(error?: ApiError): void;
  /** Calls back once, when the client has disconnected. */
  onGone(gone: () => void): void;
  /** A page of another site opened it. */
  isForeign: boolean;
};

export interface StreamCall {
  operation: Operation;
  token: string | null;
  /** The address of the client. */
  address: string;
  /** The request; throws when it is invalid. */
  read: () => unknown;
}

/** Runs one stream until its client disconnects, its right ends, its source ends or the server stops. Never rejects. */
export async function runStream(
  needs: StreamDependencies,
  { operation, source, token, address, read }: StreamCall & { source: LiveSource },
  outlet: Outlet,
  { endings, rounds }: { endings: Set<() => void>; rounds: RightsChecks },
): Promise<void> {
  const ended = needs.metrics.beginCall(operation);
  const ending = new AbortController();
  let reason: ApiError | undefined;
  const end = (error?: ApiError) => {
    reason ??= error;
    ending.abort();
  };
  const stopped = () => end(refusal('STOPPING'));
  endings.add(stopped);
  outlet.onGone(() => end());
  const cleanups: (() => void)[] = [];
  const dropped = () => needs.metrics.count('live_items_dropped');
  const grace = createRightsGrace((item) => outlet.send(item) || dropped(), dropped);
  try {
    let request: unknown;
    await admit(async () => (request = await read()));
    outlet.begin?.();
    let checking = false;
    let again = false;
    const recheck = () => {
      // A change during a check may come too late for it.
      again = checking;
      if (checking) return;
      checking = true;
      admit(() => request)
        .then(grace.end)
        .catch((error: unknown) => {
          if (!(isStorageFailure(error) && grace.mayGoOn())) end(toApiError(error, operation));
        })
        .finally(() => {
          checking = false;
          if (again) recheck();
        });
    };
    cleanups.push(rounds.add(recheck));
    const { id } = await needs.principals.ofToken(token!, { nobody: true });
    cleanups.push(await needs.bus.subscribe('access-changed', id, recheck));
    // Covers changes between the first check and the subscription.
    recheck();
    if (!ending.signal.aborted) {
      await source(request, grace.pass, ending.signal);
    }
  } catch (error) {
    reason ??= toApiError(error, operation);
    if (reason.code === 13) needs.log.error({ err: error, operation: operation.key }, 'A stream failed.');
  } finally {
    endings.delete(stopped);
    for (const cleanUp of cleanups) cleanUp();
    ended(reason?.status ?? 'OK');
    outlet.end(reason);
  }

  /** Throws unless the caller may see this stream. */
  async function admit(requested: () => unknown): Promise<void> {
    if (outlet.isForeign) throw refusal('FOREIGN_PAGE');
    if (token === null) throw unauthenticated();
    const principal = await needs.principals.ofToken(token, { nobody: true, address });
    await checkAccess(needs, operation, await requested(), principal);
  }
}
