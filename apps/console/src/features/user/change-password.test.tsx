import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import { ApiError } from '../../api/client.ts';
import { renderPage } from '../../testing/render.tsx';
import { ChangePassword } from './change-password.tsx';

const { get, updatePassword, login, session } = vi.hoisted(() => ({
  get: vi.fn(),
  updatePassword: vi.fn(),
  login: vi.fn(),
  session: { user: { id: '7' }, settings: { openidConnect: { enabled: false } } },
}));
vi.mock(import('../../api/client.ts'), async (original) => {
  const client = await original();
  const api = { user: { get, updatePassword }, internal: { login } };
  return { ...client, api: api as unknown as typeof client.api };
});
vi.mock('../../session/session.tsx', () => ({ useSession: () => session, useMay: () => () => true }));
vi.mock('../../components/link/use-ids.ts', () => ({ useIDs: () => ({ userID: '7' }) }));

afterEach(() => vi.clearAllMocks());

async function open(ownID: string, search = '') {
  session.user.id = ownID;
  get.mockResolvedValue({ user: { id: '7', email: 'ada@example.org' } });
  updatePassword.mockResolvedValue({});
  login.mockResolvedValue({ jwt: 'fresh' });
  await renderPage(<ChangePassword />, `/users/7/password${search}`);
  return userEvent.setup();
}
const box = (label: string) => screen.getByLabelText(new RegExp(label), { selector: 'input' });
const submit = () => screen.getByRole('button', { name: 'Update password' });

it('asks users for their current password before they change it', async () => {
  const user = await open('7');
  await user.type(await screen.findByLabelText(/New password/, { selector: 'input' }), 'a long password');
  await user.click(submit());
  expect(await screen.findByText('Current password is required.')).toBeTruthy();
  expect(updatePassword).not.toHaveBeenCalled();

  updatePassword.mockRejectedValueOnce(
    new ApiError('This is not your current password.', 3, 400, [
      { fieldViolations: [{ field: 'oldPassword', description: 'This is not your current password.' }] },
    ]),
  );
  await user.type(box('Current password'), 'guessed');
  await user.click(submit());
  await waitFor(() => expect(box('Current password').getAttribute('aria-invalid')).toBe('true'));

  await user.clear(box('Current password'));
  await user.type(box('Current password'), 'the old password');
  await user.click(submit());
  await waitFor(() => expect(localStorage.getItem('jwt')).toBe('fresh'));
  expect(updatePassword).toHaveBeenLastCalledWith({
    userId: '7',
    password: 'a long password',
    oldPassword: 'the old password',
  });
});

it('does not ask an administrator for the password of another user', async () => {
  const user = await open('1');
  await user.type(await screen.findByLabelText(/New password/, { selector: 'input' }), 'a long password');
  expect(screen.queryByLabelText(/Current password/)).toBeNull();
  await user.click(submit());
  await waitFor(() => expect(updatePassword).toHaveBeenCalledWith({ userId: '7', password: 'a long password' }));
  expect(login).not.toHaveBeenCalled();
});

it('says why a generated password must be changed', async () => {
  await open('7', '?why=generated');
  expect(await screen.findByRole('heading', { name: 'Choose your own password' })).toBeTruthy();
  expect(screen.getByText('The server generated your password. Change it to go on.')).toBeTruthy();
});
