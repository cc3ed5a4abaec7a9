import { createHash, createHmac, randomBytes } from 'node:crypto';
import { atField, refusal } from '@hilltop/contract';
import type { Clock } from '@hilltop/network-server';
import { errors, jwtVerify, SignJWT } from 'jose';
import type { Database } from '../database/database.ts';
import { Violation } from '../database/violation.ts';

/** The secrets of a sign-on, which only this server can present when the browser returns. */
export interface Checks {
  nonce: string;
  /** The code verifier of PKCE (RFC 7636). */
  verifier: string;
}

/** What the browser sends to the provider: the state itself, and digests of the other secrets. */
export interface StartedSignOn extends Checks {
  state: string;
}

/** Encodes started sign-ons in the state that the browser carries and that is valid once. */
export interface StartedSignOns {
  /** `mark` is the value of the browser's cookie. */
  start: (mark: string) => Promise<StartedSignOn>;
  /**
   * Uses up the state. Throws code 3 when another server or browser began the sign-on, or the state is too old or was
   * used.
   */
  finish: (state: string, mark: string | undefined) => Promise<Checks>;
}

export const lifetimeSeconds = 5 * 60;
const clockTolerance = 5;
const audience = 'oidc';

const seconds = (date: Date) => Math.floor(date.getTime() / 1000);
const refuse = (reason: 'SIGN_ON_EXPIRED' | 'SIGN_ON_FOREIGN' | 'SIGN_ON_ELSEWHERE' | 'SIGN_ON_USED') =>
  atField('state', refusal(reason));
const textHash = (text: string) => createHash('sha256').update(text).digest('base64url');

interface StartedSignOnsDependencies {
  database: Database;
  clock: Clock;
  tokenKey: Uint8Array;
}

export function createStartedSignOns({ database, clock, tokenKey }: StartedSignOnsDependencies): StartedSignOns {
  const derived = (purpose: string) => createHmac('sha256', tokenKey).update(`single sign-on: ${purpose}`);
  const stateKey = derived('state').digest();
  const checksOf = (id: string): Checks => ({
    nonce: derived(`nonce ${id}`).digest('base64url'),
    verifier: derived(`verifier ${id}`).digest('base64url'),
  });

  async function read(state: string) {
    const options = { algorithms: ['HS256'], audience, currentDate: clock.now(), clockTolerance };
    const { payload } = await jwtVerify(state, stateKey, options).catch((error: unknown) => {
      if (error instanceof errors.JWTExpired) throw refuse('SIGN_ON_EXPIRED');
      if (error instanceof errors.JOSEError) throw refuse('SIGN_ON_FOREIGN');
      throw error;
    });
    return { id: payload.jti!, mark: payload['mark'], expiresAt: new Date(payload.exp! * 1000) };
  }

  /** Stores the row for as long as the state would be accepted. */
  async function useUp(id: string, expiresAt: Date): Promise<void> {
    await database.transaction(async () => {
      const forgotten = new Date(clock.now().getTime() - 2 * clockTolerance * 1000);
      await database.query.deleteFrom('used_sign_on').where('expires_at', '<', forgotten).execute();
      await database.query.insertInto('used_sign_on').values({ id, expires_at: expiresAt }).execute();
    });
  }

  return {
    start: async (mark) => {
      const id = randomBytes(32).toString('base64url');
      const now = seconds(clock.now());
      const state = await new SignJWT({ mark: textHash(mark) })
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
        .setAudience(audience)
        .setJti(id)
        .setNotBefore(now)
        .setExpirationTime(now + lifetimeSeconds)
        .sign(stateKey);
      return { state, ...checksOf(id) };
    },

    finish: async (state, mark) => {
      const { id, mark: begunBy, expiresAt } = await read(state);
      if (mark === undefined || textHash(mark) !== begunBy) throw refuse('SIGN_ON_ELSEWHERE');
      await useUp(id, expiresAt).catch((error: unknown) => {
        if (error instanceof Violation) throw refuse('SIGN_ON_USED');
        throw error;
      });
      return checksOf(id);
    },
  };
}
