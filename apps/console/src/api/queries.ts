import type { InputOf, Operations, ResponseOf } from '@hilltop/contract';
import { toast } from '../components/toast/toast.ts';
import { ApiError, api, isGone, sessionIsOver } from './client.ts';
import { queryClient } from './query-client.ts';

type Resource = keyof Operations;
interface Call {
  (request: unknown, options?: { signal?: AbortSignal }): Promise<unknown>;
  choices: (parameter: string) => Promise<readonly string[]>;
}

/** A read of the API, ready for `useQuery`. */
export interface Read<Answer> {
  queryKey: readonly unknown[];
  queryFn: (context: { signal: AbortSignal }) => Promise<Answer>;
  /** What the server says a parameter can be; nothing when it does not know the parameter. */
  choices?: (parameter: string) => Promise<readonly string[]>;
  enabled?: boolean;
  refetchOnWindowFocus?: boolean;
}

/**
 * A read as query options: `useQuery(query('device', 'get', { devEUI }))`. The key is [resource, verb, request], so that
 * `perform(..., { changed: ['device'] })` makes every read of devices fetch again.
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
    // Somebody else may have changed the object meanwhile, or the same person in another tab.
    refetchOnWindowFocus: verb.startsWith('get'),
    queryFn: ({ signal }) =>
      attend(call(request, { signal }), verb === 'get' || verb === 'list') as Promise<ResponseOf<Operations[R][V]>>,
  };
}

/**
 * Awaits a call. A missing session ends the session of the whole console; a refusal makes it look again at what the
 * person may do and at the organization on show. Some objects (keys, an activation) are missing as a rule: no `surprise`.
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

/** Not more often than this, so that a page with many refused calls does not ask as many times. */
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

interface After {
  /** Resources of which something changed: all reads of them are made again. */
  changed?: Resource[];
  /** Resources of which the object on show was deleted: their lists are read again. */
  gone?: Resource[];
  /** Said in a toast. */
  done?: string;
}

/** Awaits a change, has what it touched read again, and says that it is done. A refusal is thrown on. */
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
