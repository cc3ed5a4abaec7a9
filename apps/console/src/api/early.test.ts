import { afterEach, expect, it } from 'vitest';
import { takeEarly } from './early.ts';

const early = globalThis as { early?: object };
afterEach(() => delete early.early);

const of = (token: string) => new Headers({ 'Grpc-Metadata-Authorization': `Bearer ${token}` });
const profile = '/api/internal/profile';

it('returns a response once, and only for the token that requested it', async () => {
  const answer = Promise.resolve(new Response());
  early.early = { bearer: 'Bearer mine', answers: new Map([[profile, answer]]) };
  expect(takeEarly(profile, of('another'))).toBeUndefined();
  expect(takeEarly('/api/internal/settings', of('mine'))).toBeUndefined();
  expect(takeEarly(profile, of('mine'))).toBe(answer);
  expect(takeEarly(profile, of('mine'))).toBeUndefined();
});

it('returns nothing when no early request was sent', () => {
  expect(takeEarly(profile, new Headers())).toBeUndefined();
});
