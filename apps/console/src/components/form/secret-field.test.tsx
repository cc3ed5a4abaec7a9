import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import '../../api/integration-facts.ts';
import { renderPage } from '../../testing/render.tsx';
import { MessageForm } from './message-form.tsx';
import { SecretField } from './secret-field.tsx';
import { useMessageForm } from './use-message-form.ts';

const save = vi.fn(async () => {});

function Form({ token }: { token: string }) {
  const form = useMessageForm('PilotThingsIntegration', { values: { token } });
  return (
    <MessageForm form={form} submit="Save" onSubmit={save}>
      <SecretField name="token" />
    </MessageForm>
  );
}

const box = () => screen.getByLabelText<HTMLInputElement>(/Authentication token/, { selector: 'input' });
const submit = () => userEvent.click(screen.getByRole('button', { name: 'Save' }));

it('hides the input', async () => {
  await renderPage(<Form token="" />);
  expect(box().type).toBe('password');
  await submit();
  expect(await screen.findByText('Authentication token is required.')).toBeTruthy();
  await userEvent.type(box(), 'secret');
  await submit();
  expect(save).toHaveBeenLastCalledWith({ token: 'secret' });
});

it('keeps the stored secret unless the user replaces it', async () => {
  await renderPage(<Form token="(unchanged)" />);
  expect(box().readOnly).toBe(true);
  await submit();
  expect(save).toHaveBeenLastCalledWith({ token: '(unchanged)' });
  await userEvent.click(screen.getByRole('button', { name: 'Replace Authentication token' }));
  expect(box().value).toBe('');
  await userEvent.type(box(), 'newer');
  await submit();
  expect(save).toHaveBeenLastCalledWith({ token: 'newer' });
  await userEvent.click(screen.getByRole('button', { name: 'Keep the stored one: Authentication token' }));
  await submit();
  expect(save).toHaveBeenLastCalledWith({ token: '(unchanged)' });
});
