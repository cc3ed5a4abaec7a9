import { queryClient } from '../api/query-client.ts';
import { clearAll } from './storage.ts';

/** Ends the session on this device and forgets everything that was read with it. */
export function signOut(): void {
  clearAll();
  queryClient.clear();
}
