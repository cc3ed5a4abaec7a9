import { unauthenticated } from '@hilltop/contract';
import { errors, type JWTPayload, jwtVerify, SignJWT } from 'jose';

/** The claims of a token: the session of a user, or an API key. The token is valid only as long as its row exists. */
export type TokenClaims =
  | { kind: 'user'; sessionID: string; username: string; expiresAt: number }
  | { kind: 'apiKey'; keyID: string; isFromV3: boolean };

/** Creates and verifies the tokens of the API: JWT, HS256, issuer and audience `as`. */
export interface Tokens {
  ofSession: (session: {
    id: string;
    userID: number;
    email: string;
    createdAt: Date;
    expiresAt: Date;
  }) => Promise<string>;
  ofKey: (keyID: string, createdAt: Date) => Promise<string>;
  /**
   * Throws code 16 for tokens that this installation did not create and for expired ones. Does not check that the row
   * still exists.
   */
  read: (token: string) => Promise<TokenClaims>;
}

const issuer = 'as';
const audience = 'as';
const seconds = (date: Date) => Math.floor(date.getTime() / 1000);

/** `keyOfV3` is the key with which version 3 signed the imported API keys; it verifies nothing else. */
export function createTokens(key: Uint8Array, now: () => Date, keyOfV3?: Uint8Array): Tokens {
  const sign = (claims: Record<string, unknown>) =>
    new SignJWT({ iss: issuer, aud: audience, ...claims }).setProtectedHeader({ alg: 'HS256', typ: 'JWT' }).sign(key);

  const verify = async (token: string, by: Uint8Array) =>
    (await jwtVerify(token, by, { algorithms: ['HS256'], issuer, audience, currentDate: now() })).payload;

  async function payloadOf(token: string): Promise<{ payload: JWTPayload; isFromV3: boolean }> {
    try {
      return { payload: await verify(token, key), isFromV3: false };
    } catch (error) {
      if (!keyOfV3 || !(error instanceof errors.JWSSignatureVerificationFailed)) throw error;
      return { payload: await verify(token, keyOfV3), isFromV3: true };
    }
  }

  async function read(token: string): Promise<TokenClaims> {
    const { payload, isFromV3 } = await payloadOf(token).catch((error: unknown) => {
      if (error instanceof errors.JOSEError) throw unauthenticated();
      throw error;
    });
    const { sub, aud, exp, sid, username, api_key_id: keyID } = payload;
    if (aud !== audience) throw unauthenticated();
    if (sub === 'api_key' && typeof keyID === 'string') return { kind: 'apiKey', keyID, isFromV3 };
    // An attacker who knows the old secret, which may be the one of a guide, must not be able to sign in as a user.
    if (isFromV3) throw unauthenticated();
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
