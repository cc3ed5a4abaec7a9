import type { InputOf, Operations, ResponseOf } from '@hilltop/contract';
import { toast } from '../components/toast/toast.ts';
import { ApiError, api, isGone, sessionIsOver } from './client.ts';
import { queryClient } from './query-client.ts';

type Resource = keyof Operations;
interface Call {
  (request: unknown, options?: { signal?: AbortSignal }): Promise<unknown>;
  choices: (parameter: string) => Promise<readonly string[]>;
  accepts: (parameter: string) => Promise<boolean>;
}

/** A read of the API, ready for `useQuery`. */
export interface Read<Answer> {
  queryKey: readonly unknown[];
  queryFn: (context: { signal: AbortSignal }) => Promise<Answer>;
  /** The values that the server accepts for a parameter; empty when it does not know the parameter. */
  choices?: (parameter: string) => Promise<readonly string[]>;
  /** Whether the server knows a parameter. */
  accepts?: (parameter: string) => Promise<boolean>;
  enabled?: boolean;
  refetchOnWindowFocus?: boolean;
}

/**
 * A read as query options: `useQuery(query('device', 'get', { devEUI }))`. The key is [resource, verb, request], so
 * `perform(..., { changed: ['device'] })` invalidates all reads of devices.
 */
export function query<R extends Resource, V extends keyof Operations[R] & string>(
  resource: R,
  verb: V,
  request: InputOf<Operations[R][V]>,
): Read<ResponseOf<Operations[R][V]>> {
  const call = (api[resource] as unknown as Record<string, Call>)[verb]!;
  return {
    queryKey: [resource, verb, request],
    choices: (parameter) => call.choices(parameter),
    accepts: (parameter) => call.accepts(parameter),
    // Another user or another tab may have changed the object.
    refetchOnWindowFocus: verb.startsWith('get'),
    queryFn: ({ signal }) =>
      attend(call(request, { signal }), verb === 'get' || verb === 'list') as Promise<ResponseOf<Operations[R][V]>>,
  };
}

/**
 * Awaits a call. A missing session ends the session of the whole console. A refused call reloads the user's permissions
 * and the current organization. Some objects (keys, an activation) are often missing: pass `surprise: false` for those.
 */
async function attend<T>(call: Promise<T>, surprise = true): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof ApiError && error.code === 16) sessionIsOver();
    if (surprise && isGone(error)) lookAgain();
    throw error;
  }
}

/** Limits how often permissions are reloaded when a page has many refused calls. */
const lookAgainMs = 2_000;
let lookedAt = -lookAgainMs;

function lookAgain() {
  if (performance.now() - lookedAt < lookAgainMs) return;
  lookedAt = performance.now();
  void queryClient.invalidateQueries({
    predicate: ({ queryKey: [resource, verb], state }) =>
      ((resource === 'internal' && verb === 'profile') || (resource === 'organization' && verb === 'get')) &&
      state.fetchStatus === 'idle',
  });
}

export interface After {
  /** Resources that changed: all their reads are invalidated. */
  changed?: Resource[];
  /** Resources whose displayed object was deleted: their lists are invalidated. */
  gone?: Resource[];
  /** Text of the toast. */
  done?: string;
}

/** Awaits a change, invalidates the reads it affects and shows a toast. Errors are rethrown. */
export async function perform<T>(call: Promise<T>, { changed = [], gone = [], done }: After = {}): Promise<T> {
  const answer = await attend(call);
  await queryClient.invalidateQueries({
    predicate: ({ queryKey: [resource, verb] }) =>
      changed.some((one) => one === resource) ||
      (!String(verb).startsWith('get') && gone.some((one) => one === resource)),
  });
  if (done) toast.success(done);
  return answer;
}
