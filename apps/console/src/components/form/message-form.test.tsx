import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import { ApiError } from '../../api/client.ts';
import { renderPage } from '../../testing/render.tsx';
import { SwitchField } from './fields.tsx';
import { FormTabs } from './form-tabs.tsx';
import { MessageForm } from './message-form.tsx';
import { TextField } from './text-fields.tsx';
import { useMessageForm } from './use-message-form.ts';

const empty = { name: '', server: '', gatewayDiscoveryEnabled: false };

function Example({
  values = empty,
  onSubmit,
  onSaved = () => {},
}: {
  values?: typeof empty;
  onSubmit: (values: typeof empty) => Promise<void>;
  onSaved?: () => void;
}) {
  const form = useMessageForm('NetworkServer', { values });
  return (
    <MessageForm form={form} submit="Save" onSubmit={onSubmit} onSaved={onSaved}>
      <FormTabs
        tabs={[
          { value: 'first', label: 'First', content: <SwitchField name="gatewayDiscoveryEnabled" /> },
          {
            value: 'second',
            label: 'Second',
            content: (
              <>
                <TextField name="name" />
                {form.values.gatewayDiscoveryEnabled && <TextField name="server" />}
              </>
            ),
          },
        ]}
      />
    </MessageForm>
  );
}

const nameBox = () => screen.getByLabelText(/Network-server name/, { selector: 'input' });
const save = () => userEvent.click(screen.getByRole('button', { name: 'Save' }));

describe('MessageForm', () => {
  it('validates hidden tabs, opens the first one with an error and focuses its field', async () => {
    const onSubmit = vi.fn(async () => {});
    await renderPage(<Example onSubmit={onSubmit} />);
    await save();
    expect(onSubmit).not.toHaveBeenCalled();
    expect(screen.getByRole('tab', { name: /Second.*has errors/ }).getAttribute('aria-selected')).toBe('true');
    expect(screen.getByText('Network-server name is required.')).toBeTruthy();
    await waitFor(() => expect(document.activeElement).toBe(nameBox()));
  });

  it('does not validate a field that is not mounted', async () => {
    const onSaved = vi.fn();
    await renderPage(<Example values={{ ...empty, name: 'north' }} onSubmit={async () => {}} onSaved={onSaved} />);
    await save();
    await waitFor(() => expect(onSaved).toHaveBeenCalledOnce());
  });

  it('trims the spaces of pasted text', async () => {
    const onSubmit = vi.fn(async () => {});
    await renderPage(<Example onSubmit={onSubmit} />);
    await userEvent.click(screen.getByRole('tab', { name: /Second/ }));
    await userEvent.type(nameBox(), ' north ');
    await save();
    await waitFor(() => expect(onSubmit).toHaveBeenCalledWith({ ...empty, name: 'north' }));
  });

  it('keeps the input when the server refuses it, and shows the error at the field that the server names', async () => {
    const onSaved = vi.fn();
    const refuse = async () => {
      throw new ApiError('There is another one with this name.', 6, 409, [
        { fieldViolations: [{ field: 'networkServer.name', description: 'This name is taken.' }] },
      ]);
    };
    await renderPage(<Example values={{ ...empty, name: 'north' }} onSubmit={refuse} onSaved={onSaved} />);
    await save();
    expect(await screen.findByText('This name is taken. (code: 6)')).toBeTruthy();
    expect(screen.queryByText(/There is another one with this name/)).toBeNull();
    expect(screen.getByRole('region', { name: 'Notifications' }).textContent).toBe('');
    expect(nameBox()).toHaveProperty('value', 'north');
    expect(onSaved).not.toHaveBeenCalled();
  });

  it('also shows the whole error when the form does not have the field that the server names', async () => {
    const refuse = async () => {
      const named = [{ field: 'name' }, { field: 'elsewhere' }].map((one) => ({ ...one, description: 'Wrong.' }));
      throw new ApiError('Two things are wrong.', 3, 400, [{ fieldViolations: named }]);
    };
    await renderPage(<Example values={{ ...empty, name: 'north' }} onSubmit={refuse} />);
    await save();
    expect(await screen.findByText('Wrong. (code: 3)')).toBeTruthy();
    expect(screen.getByText('Two things are wrong. (code: 3)').closest('[role="alert"]')).toBeTruthy();
  });

  it('shows an error that names no field below the submit button', async () => {
    const refuse = async () => {
      throw new ApiError('The network-server is in use.', 9, 400);
    };
    await renderPage(<Example values={{ ...empty, name: 'north' }} onSubmit={refuse} />);
    await save();
    const form = screen.getByRole('button', { name: 'Save' }).closest('form')!;
    expect(await within(form).findByText('The network-server is in use. (code: 9)')).toBeTruthy();
    expect(screen.getAllByText('The network-server is in use. (code: 9)')).toHaveLength(1);
  });

  it('asks before a navigation discards changes', async () => {
    const { router } = await renderPage(<Example onSubmit={async () => {}} />);
    await userEvent.click(screen.getByRole('tab', { name: /Second/ }));
    await userEvent.type(nameBox(), 'n');
    await waitFor(async () => {
      void router.navigate({ to: '/elsewhere' });
      expect(await screen.findByText('Your changes on this page are not saved.')).toBeTruthy();
    });
    await userEvent.click(screen.getByRole('button', { name: 'Stay' }));
    expect(router.state.location.pathname).toBe('/');
    expect(nameBox()).toHaveProperty('value', 'n');
  });
});
