import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '@hilltop/network-server';
import { formatCookie, readCookie } from '../../http/cookies.ts';

/** Browsers from which a user has signed in before, recognized by a signed cookie. The server stores nothing. */
export interface KnownDevices {
  /** The id of this device; undefined unless it has signed in to this account before. */
  nameOf: (call: Call, account: string) => string | undefined;
  /** The `Set-Cookie` value for a device that has just signed in. */
  cookieFor: (call: Call, account: string) => string;
}

interface Call {
  headers: IncomingHttpHeaders;
  isSecure: boolean;
}

const name = 'hilltop_device';
const lifetimeSeconds = 365 * 24 * 60 * 60;

interface KnownDevicesDependencies {
  clock: Pick<Clock, 'now'>;
  secrets: { tokenKey: Uint8Array };
}

export function createKnownDevices({ clock, secrets }: KnownDevicesDependencies): KnownDevices {
  const key = createHmac('sha256', secrets.tokenKey).update('known devices').digest();
  const now = () => Math.floor(clock.now().getTime() / 1000);
  const sign = (device: string, at: string, account: string) =>
    createHmac('sha256', key)
      .update(JSON.stringify([device, at, account]))
      .digest();

  function nameOf({ headers, isSecure }: Call, account: string): string | undefined {
    const [device, at, signature, more] = readCookie(headers, name, isSecure)?.split('.') ?? [];
    if (!device || !at || !signature || more !== undefined) return undefined;
    const given = Buffer.from(signature, 'base64url');
    const expected = sign(device, at, account);
    const isOurs = signature.length === 43 && given.length === expected.length && timingSafeEqual(given, expected);
    return isOurs && Number(at) + lifetimeSeconds > now() ? device : undefined;
  }

  return {
    nameOf,
    cookieFor: (call, account) => {
      const device = nameOf(call, account) ?? randomBytes(16).toString('base64url');
      const at = String(now());
      const value = `${device}.${at}.${sign(device, at, account).toString('base64url')}`;
      return formatCookie({ name, value, maxAgeSeconds: lifetimeSeconds, sameSite: 'Strict', isSecure: call.isSecure });
    },
  };
}
