import { ApiFailure, loadClient } from '@hilltop/contract/client';
import { withActivity } from '../session/activity.ts';
import { readToken } from '../session/storage.ts';
import { takeEarly } from './early.ts';

const watchers = new Set<() => void>();

/** Registers a callback for answers that say there is no valid session (code 16). */
export function whenSignedOut(watcher: () => void): void {
  watchers.add(watcher);
}

/** Calls all registered callbacks: the session has ended. */
export function sessionIsOver(): void {
  for (const watcher of watchers) watcher();
}

/** A refused call. `code` is the API's number: 3 invalid, 5 not found, 6 exists, 7 no permission, 9 in use, 16 not signed in. */
export { ApiFailure as ApiError };

/** Whether an error says that the object no longer exists, or that this user may no longer read it. */
export const isGone = (error: unknown): boolean =>
  error instanceof ApiFailure && (error.code === 5 || error.code === 7);

/** What the server reports about single fields of the request, by field path. */
export const fieldsOf = (failure: ApiFailure): Record<string, string> =>
  Object.fromEntries(
    failure.fieldViolations.map(({ field, description }) => [field.replace(/\[(\d+)\]/g, '.$1'), description]),
  );

/**
 * All operations of the API: `await api.device.get({ devEUI })`. Calls are built from the service definitions that the
 * server publishes.
 */
export const api = loadClient({
  fetch: (address, init) => {
    const headers = withActivity(init?.headers);
    return takeEarly(address, headers) ?? fetch(address, { ...init, headers });
  },
  baseURL: '',
  token: readToken,
});
