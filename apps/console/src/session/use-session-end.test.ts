import { act, renderHook } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { timesOf } from './token.ts';
import { useSessionEnd } from './use-session-end.ts';

const minute = 60_000;
const day = 24 * 60 * minute;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  localStorage.clear();
  vi.useRealTimers();
});

function tokenFor(lifetime: number): string {
  const nbf = Date.now() / 1000;
  const body = btoa(JSON.stringify({ nbf, exp: nbf + lifetime / 1000, username: 'J\u00fcrgen?~' }));
  return ['header', body.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', ''), 'signature'].join('.');
}

function watch(lifetime: number) {
  localStorage.setItem('jwt', tokenFor(lifetime));
  const onEnd = vi.fn();
  const { result } = renderHook(() => useSessionEnd(onEnd));
  const pass = (ms: number) => act(async () => vi.advanceTimersByTimeAsync(ms));
  return { result, onEnd, pass };
}

// Lifetime, and how long before its end the warning appears.
const sessions: [string, number, number][] = [
  ['a minute', minute, minute / 4],
  ['a day', day, 5 * minute],
  ['31 days, longer than a timer of the browser holds', 31 * day, 5 * minute],
];
for (const [name, lifetime, notice] of sessions) {
  it(`tells of the end of a session of ${name} in time, and then asks`, async () => {
    const { result, onEnd, pass } = watch(lifetime);
    await pass(lifetime - notice - 1000);
    expect(result.current.endsAt).toBeUndefined();
    await pass(2000);
    expect(result.current.endsAt).toBe(timesOf(localStorage.getItem('jwt'))?.until);
    expect(onEnd).not.toHaveBeenCalled();
    await pass(notice);
    expect(onEnd).toHaveBeenCalledOnce();
  });
}

it('uses a renewed session', async () => {
  const { result, onEnd, pass } = watch(10 * minute);
  await pass(9 * minute);
  expect(result.current.endsAt).toBeDefined();
  localStorage.setItem('jwt', tokenFor(10 * minute));
  act(() => result.current.renewed());
  expect(result.current.endsAt).toBeUndefined();
  await pass(5 * minute);
  expect(onEnd).not.toHaveBeenCalled();
});

it('checks the session when another tab signs out', () => {
  const { onEnd } = watch(day);
  act(() => {
    localStorage.removeItem('jwt');
    dispatchEvent(new StorageEvent('storage', { key: 'jwt' }));
  });
  expect(onEnd).toHaveBeenCalledOnce();
});

it('ignores an unreadable token', () => {
  for (const token of [null, '', 'nonsense', 'a.b.c', `a.${btoa('{"exp":"soon"}')}.c`]) {
    expect(timesOf(token)).toBeUndefined();
  }
});
