import { focusManager } from '@tanstack/react-query';
import { screen, within } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { ApiError } from '../api/client.ts';
import { renderPage } from '../testing/render.tsx';
import { OutageAlert } from './outage-alert.tsx';

const { getSurroundings, isOffered } = vi.hoisted(() => ({ getSurroundings: vi.fn(), isOffered: vi.fn() }));
vi.mock(import('../api/client.ts'), async (original) => {
  const client = await original();
  const api = { instance: { getSurroundings: Object.assign(getSurroundings, { isOffered }) } };
  return { ...client, api: api as unknown as typeof client.api };
});
afterEach(() => vi.clearAllMocks());

async function open() {
  isOffered.mockResolvedValue(true);
  await renderPage(
    <main>
      <OutageAlert />
    </main>,
  );
  return within(screen.getByRole('main'));
}
/** Simulates that the tab is shown again. */
function lookAgain() {
  focusManager.setFocused(false);
  focusManager.setFocused(true);
}

it('shows that Redis does not respond, until it does', async () => {
  getSurroundings.mockResolvedValue({ away: ['REDIS'] });
  const page = await open();
  expect((await page.findByRole('alert')).textContent).toContain('Redis does not respond');
  getSurroundings.mockResolvedValue({ away: [] });
  lookAgain();
  await vi.waitFor(() => expect(page.queryByRole('alert')).toBeNull());
});

it('shows that the database does not respond when calls fail for that reason, and ignores other errors', async () => {
  const refusedFor = (reason: string) => new ApiError('Try again.', 14, 503, [{ domain: 'hilltop', reason }]);
  getSurroundings.mockRejectedValue(refusedFor('DATABASE_BUSY'));
  const page = await open();
  expect((await page.findByRole('alert')).textContent).toContain('The database does not respond');
  getSurroundings.mockRejectedValue(refusedFor('STOPPING'));
  lookAgain();
  await vi.waitFor(() => expect(page.queryByRole('alert')).toBeNull());
});

it('is hidden while all is well, and does not poll a server without this endpoint', async () => {
  getSurroundings.mockResolvedValue({ away: [] });
  const page = await open();
  await vi.waitFor(() => expect(getSurroundings).toHaveBeenCalledOnce());
  expect(page.queryByRole('alert')).toBeNull();
});
