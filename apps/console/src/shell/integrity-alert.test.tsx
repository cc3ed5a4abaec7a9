import { screen, within } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { renderPage } from '../testing/render.tsx';
import { IntegrityAlert } from './integrity-alert.tsx';

const { get, isOffered } = vi.hoisted(() => ({ get: vi.fn(), isOffered: vi.fn() }));
vi.mock(import('../api/client.ts'), async (original) => {
  const client = await original();
  const api = { integrity: { get: Object.assign(get, { isOffered }) } };
  return { ...client, api: api as unknown as typeof client.api };
});
afterEach(() => vi.clearAllMocks());

const advice = 'The database is damaged: restore the last backup.';
async function open() {
  await renderPage(
    <main>
      <IntegrityAlert />
    </main>,
  );
  return within(screen.getByRole('main'));
}

it('shows that stored data is damaged, the findings and the remedy', async () => {
  isOffered.mockResolvedValue(true);
  get.mockResolvedValue({ advice, findings: ['user: row 1 missing from index user_email'] });
  const notice = await (await open()).findByRole('alert');
  expect(notice.textContent).toContain(advice);
  expect(notice.textContent).toContain('row 1 missing');
});

it('is hidden while data is intact', async () => {
  isOffered.mockResolvedValue(true);
  get.mockResolvedValue({ advice: '', findings: [] });
  const page = await open();
  await vi.waitFor(() => expect(get).toHaveBeenCalledOnce());
  expect(page.queryByRole('alert')).toBeNull();
});

it('does not poll a server without this check', async () => {
  isOffered.mockResolvedValue(false);
  const page = await open();
  expect(page.queryByRole('alert')).toBeNull();
  expect(get).not.toHaveBeenCalled();
});
