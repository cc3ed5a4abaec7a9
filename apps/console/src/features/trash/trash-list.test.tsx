import type { TrashEntry } from '@hilltop/contract';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import { showDeleted } from '../../components/trash/deleted-toast.tsx';
import { renderPage } from '../../testing/render.tsx';
import { AllTrash } from './trash-list.tsx';

const { list, restore, remove } = vi.hoisted(() => ({
  list: Object.assign(vi.fn(), { choices: async () => [], isOffered: async () => true }),
  restore: vi.fn(),
  remove: vi.fn(),
}));
vi.mock(import('../../api/client.ts'), async (original) => {
  const client = await original();
  return { ...client, api: { trash: { list, restore, delete: remove } } as unknown as typeof client.api };
});
afterEach(() => vi.clearAllMocks());

const greenhouse: TrashEntry = {
  id: 'a',
  organizationID: '1',
  organizationName: 'Farm',
  kind: 'APPLICATION',
  recordID: '7',
  name: 'greenhouse',
  contents: [
    { kind: 'APPLICATION', count: 1 },
    { kind: 'DEVICE', count: 1200 },
    { kind: 'INTEGRATION', count: 2 },
  ],
  deletedBy: 'anna@example.org',
  deletedAt: new Date(Date.now() - 60_000).toISOString(),
  expiresAt: new Date(Date.now() + 30 * 86_400_000 - 60_000).toISOString(),
  isPartial: false,
};
const restored = { restoredCount: 1, refusedCount: 0, refused: [], jobID: '' };

it('shows what was deleted, by whom and for how long it can be restored', async () => {
  const partial = { ...greenhouse, id: 'b', name: 'field', isPartial: true };
  list.mockResolvedValue({ totalCount: '2', result: [greenhouse, partial] });
  await renderPage(<AllTrash />, '/trash');
  expect(await screen.findByText('1,200 devices and 2 integrations')).toBeTruthy();
  expect(screen.getByText('Deletion not finished: 1,200 devices and 2 integrations')).toBeTruthy();
  for (const text of ['anna@example.org', '30 days', 'application', 'Farm'])
    expect(screen.getAllByText(text)).toHaveLength(2);
});

it('leads to the job that restores the devices of a large entry', async () => {
  list.mockResolvedValue({ totalCount: '1', result: [greenhouse] });
  restore.mockResolvedValue({ ...restored, jobID: 'j' });
  await renderPage(<AllTrash />, '/trash');
  await userEvent.setup().click(await screen.findByRole('button', { name: 'Restore greenhouse' }));
  const link = await screen.findByRole('link', { name: 'Show the job' });
  expect(link.getAttribute('href')).toBe('/organizations/1/jobs/j');
});

it('names the records that could not be restored', async () => {
  list.mockResolvedValue({ totalCount: '1', result: [greenhouse] });
  const reason = 'A device with this EUI exists now in barn.';
  const refused = [{ kind: 'DEVICE', recordID: '0102', name: 'soil-1', reason }];
  restore.mockResolvedValue({ restoredCount: 1202, refusedCount: 1, refused, jobID: '' });
  await renderPage(<AllTrash />, '/trash');
  await userEvent.setup().click(await screen.findByRole('button', { name: 'Restore greenhouse' }));
  const dialog = await screen.findByRole('dialog', { name: 'Not all of greenhouse is restored' });
  expect(within(dialog).getByText('1 record could not be restored and stays in the trash.')).toBeTruthy();
  expect(within(dialog).getByText(reason)).toBeTruthy();
});

it('wants the name of an application typed before it is deleted for good', async () => {
  list.mockResolvedValue({ totalCount: '1', result: [greenhouse] });
  remove.mockResolvedValue({});
  const user = userEvent.setup();
  await renderPage(<AllTrash />, '/trash');
  await user.click(await screen.findByRole('button', { name: 'Delete greenhouse for good' }));
  const dialog = await screen.findByRole('dialog', { name: 'Delete greenhouse for good?' });
  const button = within(dialog).getByRole('button', { name: 'Delete for good' });
  expect(button).toHaveProperty('disabled', true);
  await user.type(within(dialog).getByRole('textbox'), 'greenhouse');
  await user.click(button);
  expect(remove).toHaveBeenCalledWith({ id: 'a' });
});

it('offers to undo a deletion in its toast, and not when the trash has nothing', async () => {
  const user = userEvent.setup();
  await renderPage(<span />);
  list.mockResolvedValueOnce({ totalCount: '0', result: [] });
  const deleted = { recordID: '7', organizationID: '1' };
  await showDeleted({ ...deleted, done: 'device has been deleted' });
  expect((await screen.findByText('device has been deleted')).textContent).not.toContain('Undo');
  list.mockResolvedValueOnce({ totalCount: '1', result: [greenhouse] });
  restore.mockResolvedValue(restored);
  await showDeleted({ ...deleted, done: 'application has been deleted' });
  await user.click(await screen.findByRole('button', { name: 'Undo' }));
  expect(restore).toHaveBeenCalledWith({ id: 'a' });
  expect(await screen.findByText('application has been restored')).toBeTruthy();
});
