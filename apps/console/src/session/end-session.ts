import { readToken } from './storage.ts';

/**
 * Also ends the session on the server, so that a copied token becomes invalid. Does not wait for the response: an older
 * server does not know this call, and the token expires anyway.
 */
export async function endSession(): Promise<void> {
  const token = readToken();
  if (token === null) return;
  const headers = { 'Grpc-Metadata-Authorization': `Bearer ${token}` };
  await fetch('/api/internal/logout', { method: 'POST', headers, keepalive: true }).catch(() => undefined);
}
