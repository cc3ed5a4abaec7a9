import { fireEvent, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { describe, expect, it, vi } from 'vitest';
import { renderPage } from '../../testing/render.tsx';
import { MessageForm } from './message-form.tsx';
import { SecretField } from './secret-field.tsx';
import { StayButton } from './stay-button.tsx';
import { TextField } from './text-fields.tsx';
import { useMessageForm } from './use-message-form.ts';

interface Values {
  name: string;
  tlsKey: string;
}

const stored: Values = { name: 'north', tlsKey: '(unchanged)' };

/** What the server stores: trimmed, and without the secret. */
function Page({ send, onSaved, disabled }: { send: () => Promise<void>; onSaved: () => void; disabled?: boolean }) {
  const [values, setValues] = useState(stored);
  const form = useMessageForm('NetworkServer', { values });
  return (
    <>
      <MessageForm
        form={form}
        submit="Update network-server"
        stayButton={StayButton}
        disabled={disabled === true}
        onSubmit={async ({ name }) => {
          await send();
          setValues({ name: name.toUpperCase(), tlsKey: '(unchanged)' });
        }}
        onSaved={onSaved}
      >
        <TextField name="name" />
        <SecretField name="tlsKey" />
      </MessageForm>
      <p id="state">{form.dirty ? 'changed' : 'saved'}</p>
    </>
  );
}

async function open(disabled?: boolean) {
  const send = vi.fn(async () => {});
  const onSaved = vi.fn();
  const { router } = await renderPage(
    <Page send={send} onSaved={onSaved} {...(disabled !== undefined && { disabled })} />,
  );
  return { send, onSaved, router };
}

const nameBox = () => screen.getByLabelText<HTMLInputElement>(/Network-server name/, { selector: 'input' });
const state = () => document.querySelector('#state')?.textContent;

describe('Save and stay', () => {
  it('saves without leaving, shows what the server stored, and keeps the focus', async () => {
    const { send, onSaved } = await open();
    await userEvent.click(screen.getByRole('button', { name: /^Replace/ }));
    await userEvent.type(screen.getByLabelText(/TLS key/, { selector: 'input' }), 'secret');
    await userEvent.type(nameBox(), 'ern');
    expect(state()).toBe('changed');
    await userEvent.click(screen.getByRole('button', { name: 'Save and stay' }));
    await waitFor(() => expect(state()).toBe('saved'));
    expect(nameBox().value).toBe('NORTHERN');
    expect(screen.getByDisplayValue('(unchanged)')).toBeTruthy();
    expect(document.activeElement?.textContent).toContain('Save and stay');
    expect(send).toHaveBeenCalledOnce();
    expect(onSaved).not.toHaveBeenCalled();
  });

  it('guards changes made after it', async () => {
    const { router } = await open();
    await userEvent.type(nameBox(), 'x');
    await userEvent.click(screen.getByRole('button', { name: 'Save and stay' }));
    await waitFor(() => expect(state()).toBe('saved'));
    await userEvent.type(nameBox(), 'y');
    void router.navigate({ to: '/elsewhere' });
    // The dialog is loaded on first use.
    expect(await screen.findByText('Your changes on this page are not saved.', {}, { timeout: 20_000 })).toBeTruthy();
  });

  it('is also Ctrl+S, which leaves the focus in the field', async () => {
    const { send, onSaved } = await open();
    await userEvent.type(nameBox(), 'x');
    expect(fireEvent.keyDown(nameBox(), { key: 's', ctrlKey: true })).toBe(false);
    await waitFor(() => expect(state()).toBe('saved'));
    await waitFor(() => expect(document.activeElement).toBe(nameBox()));
    expect(send).toHaveBeenCalledOnce();
    expect(onSaved).not.toHaveBeenCalled();
  });

  it('keeps the changes when the server refuses them', async () => {
    const { send } = await open();
    send.mockRejectedValueOnce(new Error('Not now.'));
    await userEvent.type(nameBox(), 'x');
    fireEvent.keyDown(document.body, { key: 's', metaKey: true });
    expect(await screen.findByText(/Not now/)).toBeTruthy();
    expect(nameBox().value).toBe('northx');
    expect(state()).toBe('changed');
  });

  it('is not offered in a form that may only be read', async () => {
    const { send } = await open(true);
    expect(screen.queryByRole('button', { name: 'Save and stay' })).toBeNull();
    fireEvent.keyDown(document.body, { key: 's', ctrlKey: true });
    expect(send).not.toHaveBeenCalled();
  });
});
