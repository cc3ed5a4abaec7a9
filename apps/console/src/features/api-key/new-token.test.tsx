import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { renderPage } from '../../testing/render.tsx';
import { NewToken } from './new-token.tsx';

const key = { id: '3b5e1f1c-0d5a-4d39-9d7e-0a1b2c3d4e5f', name: 'exporter', token: 'secret.token' };

it('asks before a user leaves the page of a token that was not copied', async () => {
  const { router } = await renderPage(<NewToken {...key} onDone={() => {}} />, '/api-keys/create');
  void router.navigate({ to: '/api-keys' });
  await userEvent.click(await screen.findByRole('button', { name: 'Stay' }));
  expect(router.state.location.pathname).toBe('/api-keys/create');
  expect(screen.getByLabelText('Token')).toHaveProperty('value', 'secret.token');
});

it('does not ask once the token has been copied', async () => {
  const user = userEvent.setup();
  const write = vi.spyOn(navigator.clipboard, 'writeText');
  const { router } = await renderPage(<NewToken {...key} onDone={() => {}} />, '/api-keys/create');
  await user.click(screen.getByRole('button', { name: 'Copy token' }));
  expect(write).toHaveBeenCalledWith('secret.token');
  void router.navigate({ to: '/api-keys' });
  await waitFor(() => expect(router.state.location.pathname).toBe('/api-keys'));
});
