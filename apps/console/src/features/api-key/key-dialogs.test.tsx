import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import { renderPage } from '../../testing/render.tsx';
import { EditKeyDialog, ReplaceKeyDialog } from './key-dialogs.tsx';

const { update, replace } = vi.hoisted(() => ({ update: vi.fn(), replace: vi.fn() }));
vi.mock(import('../../api/client.ts'), async (original) => {
  const client = await original();
  return { ...client, api: { apiKey: { update, replace } } as unknown as typeof client.api };
});
afterEach(() => vi.clearAllMocks());

const key = { id: 'k', name: 'exporter', isAdmin: true, organizationID: '0', applicationID: '0' };

it('keeps the exact expiry of a key that is only renamed', async () => {
  update.mockResolvedValue({});
  const expiresAt = '2099-01-31T10:00:00.000Z';
  const onClose = vi.fn();
  await renderPage(<EditKeyDialog of={{ ...key, expiresAt }} onClose={onClose} />);
  const user = userEvent.setup();
  const name = await screen.findByRole('textbox', { name: /API key name/ });
  await user.clear(name);
  await user.type(name, 'imports');
  await user.click(screen.getByRole('button', { name: 'Update' }));
  await waitFor(() => expect(onClose).toHaveBeenCalled());
  expect(update.mock.lastCall?.[0]).toEqual({ id: 'k', name: 'imports', expiresAt });
});

it('shows the token of a replacement until the user is done', async () => {
  replace.mockResolvedValue({ id: 'n', jwtToken: 'secret.token' });
  const onClose = vi.fn();
  await renderPage(<ReplaceKeyDialog of={key} onClose={onClose} />);
  const user = userEvent.setup();
  await user.click(await screen.findByRole('button', { name: 'Replace' }));
  expect(await screen.findByLabelText('Token')).toHaveProperty('value', 'secret.token');
  expect(replace.mock.lastCall?.[0]).toEqual({ id: 'k', expiresAt: null, neverExpires: true });
  await user.keyboard('{Escape}');
  expect(onClose).not.toHaveBeenCalled();
  await user.click(screen.getByRole('button', { name: 'Done' }));
  expect(onClose).toHaveBeenCalled();
});

it('gives the replacement the end of the key unless another one is chosen', async () => {
  replace.mockResolvedValue({ id: 'n', jwtToken: 'secret.token' });
  const expiresAt = '2099-01-31T10:00:00.000Z';
  await renderPage(<ReplaceKeyDialog of={{ ...key, expiresAt }} onClose={vi.fn()} />);
  const user = userEvent.setup();
  expect(await screen.findByLabelText(/end of/)).toHaveProperty('value', '2099-01-31');
  await user.click(screen.getByRole('button', { name: 'Replace' }));
  await screen.findByLabelText('Token');
  expect(replace.mock.lastCall?.[0]).toEqual({ id: 'k', expiresAt, neverExpires: false });
});
