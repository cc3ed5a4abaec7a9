import { unauthenticated } from '@hilltop/contract';
import { errors, jwtVerify, SignJWT } from 'jose';

/** What a token says: a person's session, or an API key. Only a row in the database makes either good. */
export type Claims =
  | { kind: 'user'; sessionID: string; username: string; expiresAt: number }
  | { kind: 'apiKey'; keyID: string };

/** Makes and reads the tokens of the API: JWT, HS256, issuer and audience `as`. */
export interface Tokens {
  ofSession: (session: {
    id: string;
    userID: number;
    email: string;
    createdAt: Date;
    expiresAt: Date;
  }) => Promise<string>;
  ofKey: (keyID: string, createdAt: Date) => Promise<string>;
  /** Throws code 16 for anything that was not made here or has expired. Does not look whether the row still exists. */
  read: (token: string) => Promise<Claims>;
}

const issuer = 'as';
const audience = 'as';
const seconds = (date: Date) => Math.floor(date.getTime() / 1000);

export function createTokens(key: Uint8Array, now: () => Date): Tokens {
  const sign = (claims: Record<string, unknown>) =>
    new SignJWT({ iss: issuer, aud: audience, ...claims }).setProtectedHeader({ alg: 'HS256', typ: 'JWT' }).sign(key);

  async function read(token: string): Promise<Claims> {
    const { payload } = await jwtVerify(token, key, {
      algorithms: ['HS256'],
      issuer,
      audience,
      currentDate: now(),
    }).catch((error: unknown) => {
      if (error instanceof errors.JOSEError) throw unauthenticated();
      throw error;
    });
    const { sub, aud, exp, sid, username, api_key_id: keyID } = payload;
    if (aud !== audience) throw unauthenticated();
    if (sub === 'api_key' && typeof keyID === 'string') return { kind: 'apiKey', keyID };
    if (sub === 'user' && typeof sid === 'string' && typeof username === 'string' && exp !== undefined)
      return { kind: 'user', sessionID: sid, username, expiresAt: exp * 1000 };
    throw unauthenticated();
  }

  return {
    read,
    ofSession: ({ id, userID, email, createdAt, expiresAt }) =>
      sign({ sub: 'user', nbf: seconds(createdAt), exp: seconds(expiresAt), username: email, id: userID, sid: id }),
    ofKey: (keyID, createdAt) => sign({ sub: 'api_key', nbf: seconds(createdAt), api_key_id: keyID }),
  };
}
