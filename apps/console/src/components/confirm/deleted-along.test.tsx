import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { renderPage } from '../../testing/render.tsx';
import { DeleteButton } from './delete-button.tsx';
import { DeletedAlong, deletedText } from './deleted-along.tsx';

it('names what is deleted, without what there is none of', () => {
  const text = 'devices and 1 integration go with it.';
  expect(
    deletedText([
      ['device', 1029],
      ['multicast-group', 0],
      ['integration', 1],
    ]),
  ).toBe(`1,029 ${text}`);
  expect(deletedText([['device', 1]])).toBe('1 device goes with it.');
  expect(deletedText([['device', 0]])).toBe('Nothing else is deleted with it.');
});

it('counts when the dialog opens, not before', async () => {
  const count = vi.fn(async () => ({ totalCount: '29' }));
  await renderPage(
    <DeleteButton
      question="Are you sure?"
      name="climate"
      note={<DeletedAlong counted={[{ noun: 'device', read: { queryKey: ['devices'], queryFn: count } }]} />}
      onDelete={async () => {}}
      onDone={() => {}}
    />,
  );
  expect(count).not.toHaveBeenCalled();
  await userEvent.setup().click(screen.getByRole('button', { name: 'Delete' }));
  expect(await screen.findByRole('dialog', { name: 'Delete climate?' })).toBeDefined();
  expect(await screen.findByText('29 devices go with it.')).toBeDefined();
});
