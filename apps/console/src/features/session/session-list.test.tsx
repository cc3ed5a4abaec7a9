import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import { renderPage } from '../../testing/render.tsx';
import { SessionList } from './session-list.tsx';

const { list, end, endOthers } = vi.hoisted(() => ({
  list: Object.assign(vi.fn(), { choices: async () => [] }),
  end: vi.fn(),
  endOthers: vi.fn(),
}));
vi.mock(import('../../api/client.ts'), async (original) => {
  const client = await original();
  return { ...client, api: { session: { list, end, endOthers } } as unknown as typeof client.api };
});
afterEach(() => vi.clearAllMocks());

const at = '2026-11-21T10:00:00Z';
const row = { createdAt: at, lastUsedAt: at, expiresAt: at, isCurrent: false };
const mine = {
  ...row,
  id: 'a',
  address: '192.0.2.1',
  agent: 'Mozilla/5.0 (X11; Linux) Firefox/144.0',
  isCurrent: true,
};
const script = { ...row, id: 'b', address: '2001:db8::7', agent: 'curl/8.14.1' };

it('marks this session, which ends by logging out, and ends another one after confirmation', async () => {
  list.mockResolvedValue({ totalCount: '2', result: [mine, script] });
  end.mockResolvedValue({});
  const user = userEvent.setup();
  await renderPage(<SessionList />, '/account/sessions');
  expect(await screen.findByText('Firefox on Linux')).toBeTruthy();
  expect(screen.getByText('This one')).toBeTruthy();
  expect(screen.getAllByRole('button', { name: /^End the session/ })).toHaveLength(1);

  await user.click(screen.getByRole('button', { name: 'End the session of curl, 2001:db8::7' }));
  expect(end).not.toHaveBeenCalled();
  await user.click(await screen.findByRole('button', { name: 'End session' }));
  await waitFor(() => expect(end).toHaveBeenCalledWith({ id: 'b' }));
});

it('ends all other sessions after confirmation', async () => {
  list.mockResolvedValue({ totalCount: '1', result: [mine] });
  endOthers.mockResolvedValue({});
  const user = userEvent.setup();
  await renderPage(<SessionList />, '/account/sessions');
  await user.click(await screen.findByRole('button', { name: 'End all others' }));
  const dialog = await screen.findByRole('dialog', { name: 'End all other sessions?' });
  await user.click([...dialog.querySelectorAll('button')].find((one) => one.textContent === 'End all others')!);
  await waitFor(() => expect(endOthers).toHaveBeenCalled());
});
