import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request as overTLS } from 'node:https';
import { request as overHTTP } from '../node-http.ts';
import type { Outgoing } from '../outgoing/outgoing.ts';
import type { ProviderClaims } from './provider.ts';

const timeoutMs = 10_000;

/**
 * Reports a new user to the registration callback of the settings: a POST with the form fields `user_id` and
 * `oidc_claims` (JSON). They are in the body because URLs end up in logs. Rejects unless the status is 200. Redirects
 * are not followed.
 */
export async function askAboutRegistration(
  address: string,
  { userID, claims, outgoing }: { userID: number; claims: ProviderClaims; outgoing: Outgoing },
): Promise<void> {
  const url = new URL(address);
  const body = String(new URLSearchParams({ user_id: String(userID), oidc_claims: JSON.stringify(claims) }));
  const isTLS = url.protocol === 'https:';
  const addresses = await outgoing.resolve(url.hostname, Number(url.port || (isTLS ? 443 : 80)));
  const request = (isTLS ? overTLS : overHTTP)(url, {
    method: 'POST',
    agent: false,
    headers: {
      'Content-Type': 'application/x-www-form-urlencoded;charset=UTF-8',
      'Content-Length': Buffer.byteLength(body),
    },
    signal: AbortSignal.timeout(timeoutMs),
    // Connects to the addresses that were checked, whatever the name resolves to later.
    lookup: (_host, options, done) => {
      if (options.all) done(null, addresses);
      else done(null, addresses[0]!.address, addresses[0]!.family);
    },
  });
  request.end(body);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.resume();
  if (response.statusCode !== 200) throw new Error(`It answered ${response.statusCode}.`);
}
