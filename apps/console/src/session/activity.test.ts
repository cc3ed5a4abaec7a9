import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { api } from '../api/client.ts';

const sent: Headers[] = [];
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
  vi.stubGlobal('fetch', async (address: string, init: { headers: Headers }) => {
    if (!address.startsWith('/swagger/')) {
      sent.push(init.headers);
      return Response.json({});
    }
    const paths = { '/api/internal/profile': { get: { operationId: 'Profile', parameters: [] } } };
    return Response.json({ paths });
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it('marks calls as inactive when the user has not touched the console for a minute', async () => {
  const last = async () => {
    await api.internal.profile({});
    return sent.at(-1)?.get('Hilltop-Unattended');
  };
  dispatchEvent(new Event('keydown'));
  vi.setSystemTime(Date.now() + 59_000);
  expect(await last()).toBeNull();
  vi.setSystemTime(Date.now() + 2_000);
  expect(await last()).toBe('1');
  dispatchEvent(new Event('pointermove'));
  expect(await last()).toBeNull();
});
