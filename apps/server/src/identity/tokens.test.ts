import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiError } from '@hilltop/contract';
import { SignJWT } from 'jose';
import { createTokens } from './tokens.ts';

const key = new Uint8Array(64).fill(7);
const now = () => new Date('2026-11-22T00:00:00Z');
const tokens = createTokens(key, now);
const claims = { iss: 'as', aud: 'as', sub: 'api_key', api_key_id: 'k' };
const sign = (alg: string, over: object = {}, by = key) =>
  new SignJWT({ ...claims, ...over }).setProtectedHeader({ alg }).sign(by);

const isRefused = (error: unknown) => error instanceof ApiError && error.code === 16;

describe('a token', () => {
  it('is read with the claims it was created with', async () => {
    assert.deepEqual(await tokens.read(await sign('HS256')), { kind: 'apiKey', keyID: 'k', isFromV3: false });
    assert.deepEqual(await tokens.read(await tokens.ofKey('k', now())), {
      kind: 'apiKey',
      keyID: 'k',
      isFromV3: false,
    });
  });

  it('is valid in one form only', async () => {
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const forged = [
      await sign('HS384'),
      await sign('HS512'),
      await sign('HS256', { iss: 'other' }),
      await sign('HS256', { aud: 'other' }),
      await sign('HS256', { aud: ['as', 'other'] }),
      await sign('HS256', { exp: now().getTime() / 1000 - 1 }),
      await sign('HS256', { nbf: now().getTime() / 1000 + 60 }),
      await sign('HS256', { sub: 'user' }),
      await sign('HS256', {}, new Uint8Array(64).fill(8)),
      `${encode({ alg: 'none' })}.${encode(claims)}.`,
    ];
    for (const token of forged) await assert.rejects(tokens.read(token), isRefused, token);
  });
});
