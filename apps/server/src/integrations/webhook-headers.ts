import { createHmac } from 'node:crypto';

interface WebhookMessage {
  id: string;
  at: Date;
  body: string | Uint8Array;
  /** `whsec_` and base64; without it nothing is signed. */
  secret: string | undefined;
}

/** The headers of Standard Webhooks: id, time and signature of a message. */
export function webhookHeaders({ id, at, body, secret }: WebhookMessage): (readonly [name: string, value: string])[] {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const headers: (readonly [string, string])[] = [
    ['webhook-id', id],
    ['webhook-timestamp', timestamp],
  ];
  if (!secret) return headers;
  const key = Uint8Array.fromBase64(secret.replace(/^whsec_/, ''));
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64');
  return [...headers, ['webhook-signature', `v1,${signature}`]];
}
