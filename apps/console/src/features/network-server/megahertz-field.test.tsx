import type { RadioSettings } from '@hilltop/contract';
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { MessageForm } from '../../components/form/message-form.tsx';
import { useMessageForm } from '../../components/form/use-message-form.ts';
import { renderPage } from '../../testing/render.tsx';
import { MegahertzField } from './megahertz-field.tsx';

function OneChannel({ onSubmit }: { onSubmit: (frequency: unknown) => void }) {
  const extraChannels = [{ frequency: 867_100_000, minDR: 0, maxDR: 5 }];
  const form = useMessageForm('RadioSettings', { values: { extraChannels } as unknown as RadioSettings });
  return (
    <MessageForm
      form={form}
      submit="Save"
      onSubmit={async ({ extraChannels: sent }) => onSubmit(sent[0]!.frequency)}
      guarded={false}
    >
      <MegahertzField name="extraChannels.0.frequency" required />
    </MessageForm>
  );
}

it('shows a frequency in MHz and sends it in Hz, also when it was typed in Hz', async () => {
  const sent: unknown[] = [];
  await renderPage(<OneChannel onSubmit={(frequency) => sent.push(frequency)} />);
  const box = screen.getByRole<HTMLInputElement>('textbox', { name: 'Frequency' });
  expect(box.value).toBe('867.1');
  for (const typed of ['868.35', '868350000']) {
    await userEvent.clear(box);
    await userEvent.type(box, typed);
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  }
  expect(sent).toEqual([868_350_000, 868_350_000]);
});
