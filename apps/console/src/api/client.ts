import { ApiFailure, loadClient } from '@hilltop/contract/client';
import { withActivity } from '../session/activity.ts';
import { readToken } from '../session/storage.ts';
import { takeEarly } from './early.ts';

const watchers = new Set<() => void>();

/** Called when the server says that there is no valid session (code 16). */
export function whenSignedOut(watcher: () => void): void {
  watchers.add(watcher);
}

/** Tells everybody that the session is over. */
export function sessionIsOver(): void {
  for (const watcher of watchers) watcher();
}

/** A refused call. `code` is the API's number: 3 invalid, 5 not found, 6 exists, 7 no permission, 9 in use, 16 not signed in. */
export { ApiFailure as ApiError };

/** Whether an answer says that the object is no longer there, or no longer for this person. */
export const isGone = (error: unknown): boolean =>
  error instanceof ApiFailure && (error.code === 5 || error.code === 7);

/** What the server says about single fields of the request, by their path in it. */
export const fieldsOf = (failure: ApiFailure): Record<string, string> =>
  Object.fromEntries(
    failure.fieldViolations.map(({ field, description }) => [field.replace(/\[(\d+)\]/g, '.$1'), description]),
  );

/** Every operation of the API: `await api.device.get({ devEUI })`. Calls are built from the service definitions the server publishes. */
export const api = loadClient({
  fetch: (address, init) => {
    const headers = withActivity(init?.headers);
    return takeEarly(address, headers) ?? fetch(address, { ...init, headers });
  },
  baseURL: '',
  token: readToken,
});
