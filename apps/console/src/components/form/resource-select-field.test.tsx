import { screen, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import { ApiError } from '../../api/client.ts';
import { renderPage } from '../../testing/render.tsx';
import { MessageForm } from './message-form.tsx';
import { ResourceSelectField } from './resource-select-field.tsx';
import { useMessageForm } from './use-message-form.ts';

const refused = {
  queryKey: ['networkServer', 'list', 'refused'],
  queryFn: () => Promise.reject(new ApiError('You have no permission for this.', 7, 403)),
};

function Example() {
  const form = useMessageForm('ServiceProfile', { values: { networkServerID: '12' } });
  return (
    <MessageForm form={form} disabled submit="Save" onSubmit={async () => {}} onSaved={() => {}}>
      <ResourceSelectField name="networkServerID" query={refused} />
    </MessageForm>
  );
}

it('shows the ID of what is selected when the list of names is refused', async () => {
  await renderPage(<Example />);
  const box = screen.getByRole<HTMLInputElement>('combobox', { name: 'Network-server' });
  await waitFor(() => expect(box.value).toBe('12'));
});
