import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import { renderPage } from '../../testing/render.tsx';
import { APIKeyCreate } from './api-key-create.tsx';

const { createAPIKey, choices } = vi.hoisted(() => ({ createAPIKey: vi.fn(), choices: vi.fn() }));
vi.mock(import('../../api/client.ts'), async (original) => {
  const client = await original();
  const api = { internal: { createAPIKey, listAPIKeys: { choices } } };
  return { ...client, api: api as unknown as typeof client.api };
});
afterEach(() => vi.clearAllMocks());

const day = 24 * 60 * 60 * 1000;

async function open(offered: string[]) {
  choices.mockResolvedValue(offered);
  createAPIKey.mockResolvedValue({ id: 'k', jwtToken: 'secret.token' });
  await renderPage(<APIKeyCreate />, '/api-keys/create');
  const user = userEvent.setup();
  await user.type(await screen.findByRole('textbox', { name: 'API key name' }), 'exporter');
  return user;
}
const create = () => screen.getByRole('button', { name: 'Create API key' });

it('counts the lifetime of a key from the moment it is created', async () => {
  const user = await open(['expiresAt', 'details']);
  await user.click(await screen.findByRole('combobox', { name: 'Expires' }));
  await user.click(await screen.findByRole('option', { name: 'In 30 days' }));
  const later = Date.now() + 2 * day;
  vi.spyOn(Date, 'now').mockReturnValue(later);
  await user.click(create());
  await waitFor(() => expect(createAPIKey).toHaveBeenCalled());
  vi.mocked(Date.now).mockRestore();
  expect(createAPIKey.mock.lastCall?.[0].apiKey).toMatchObject({
    name: 'exporter',
    expiresAt: new Date(later + 30 * day).toISOString(),
  });
});

it('offers no expiry when the server does not support it', async () => {
  const user = await open([]);
  expect(screen.queryByRole('combobox')).toBeNull();
  await user.click(create());
  await waitFor(() => expect(createAPIKey).toHaveBeenCalled());
  expect(createAPIKey.mock.lastCall?.[0].apiKey).not.toHaveProperty('expiresAt');
});

it('creates a key with the chosen access that expires at the end of a day', async () => {
  const user = await open(['details']);
  await user.click(await screen.findByRole('radio', { name: 'Read and send' }));
  await user.click(await screen.findByRole('combobox', { name: 'Expires' }));
  await user.click(await screen.findByRole('option', { name: 'On a date' }));
  await user.click(create());
  expect(await screen.findByText('Expires is required.')).toBeTruthy();
  expect(createAPIKey).not.toHaveBeenCalled();
  await user.type(screen.getByLabelText('Expires at the end of'), '2099-01-31');
  await user.click(create());
  await waitFor(() => expect(createAPIKey).toHaveBeenCalled());
  expect(createAPIKey.mock.lastCall?.[0].apiKey).toMatchObject({
    access: 'READ_AND_SEND',
    expiresAt: new Date('2099-01-31T23:59:59').toISOString(),
  });
});
