import { readToken } from './storage.ts';

/**
 * Ends the session on the server too, so that a copy of its token is worth nothing. Nobody waits for the answer: an
 * older server does not know this call, and the token ends by time anyway.
 */
export async function endSession(): Promise<void> {
  const token = readToken();
  if (token === null) return;
  const headers = { 'Grpc-Metadata-Authorization': `Bearer ${token}` };
  await fetch('/api/internal/logout', { method: 'POST', headers, keepalive: true }).catch(() => undefined);
}
