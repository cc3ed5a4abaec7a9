import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ApiError } from '../../api/client.ts';
import { renderPage } from '../../testing/render.tsx';
import { StoragePage } from './storage-page.tsx';

const { storage, mail, test, library, list } = vi.hoisted(() => ({
  storage: vi.fn(),
  mail: vi.fn(),
  test: vi.fn(),
  library: vi.fn(),
  list: vi.fn(),
}));
vi.mock(import('../../api/client.ts'), async (original) => {
  const client = await original();
  const api = { storage: { get: storage }, mail: { get: mail, test }, library: { get: library }, instance: { list } };
  return { ...client, api: api as unknown as typeof client.api };
});

const part = { isSizeKnown: true, bytes: 0, oldestAt: null, limitDays: 0, limitBytes: 0, settings: [] };
const found = {
  isEmbedded: true,
  diskBytes: 4e10,
  freeBytes: 1.25e9,
  parts: [
    { ...part, part: 'DATABASE', bytes: 1_234_000 },
    { ...part, part: 'HISTORY', bytes: 512, limitDays: 30, limitBytes: 1e10, settings: ['HILLTOP_HISTORY_DAYS'] },
    { ...part, part: 'AUDIT', isSizeKnown: false, limitDays: 1 },
  ],
  backupDirectory: '',
  backupHours: 24,
  backupKeep: 7,
  backupProblem: '',
  backups: [] as object[],
};

beforeEach(() => {
  mail.mockResolvedValue({ isSetUp: true, canConfirm: true, isFailing: false });
  library.mockResolvedValue({ version: 'v7', installedAt: null });
  list.mockResolvedValue({ isArchive: true });
});
afterEach(() => vi.clearAllMocks());

const rowOf = (name: string) => screen.getByRole('row', { name: new RegExp(`^${name}`) });

it('shows what each part takes and what limits it', async () => {
  storage.mockResolvedValue(found);
  await renderPage(<StoragePage />, '/storage');
  expect(await screen.findByText(/1.25 GB of 40 GB are free/)).toBeTruthy();
  expect(within(rowOf('Database')).getByText('1.23 MB')).toBeTruthy();
  expect(within(rowOf('History')).getByText('30 days, 10 GB')).toBeTruthy();
  expect(within(rowOf('Audit log')).getByText('1 day')).toBeTruthy();
  expect(within(rowOf('Audit log')).getByText('In the database')).toBeTruthy();
  expect(await screen.findByText(/The server writes no backups.* with \.\/hilltop backup FILE\./)).toBeTruthy();
  expect(await screen.findByText('v7')).toBeTruthy();
});

it('lists backups and why the last one failed', async () => {
  const backup = { instance: 'a', startedAt: '2026-01-01T00:00:00Z', endedAt: '2026-01-01T00:01:00Z', bytes: 0 };
  const backups = [
    { ...backup, file: 'third.backup', problem: '', endedAt: null },
    { ...backup, file: 'second.backup', problem: 'The disk is full.' },
    { ...backup, file: 'first.backup', problem: '', bytes: 2e6 },
  ];
  storage.mockResolvedValue({ ...found, backupDirectory: '/backups', backupProblem: 'The disk is full.', backups });
  await renderPage(<StoragePage />, '/storage');
  expect(await screen.findByText('The disk is full.')).toBeTruthy();
  expect(within(rowOf('third.backup')).getByText('Is being written')).toBeTruthy();
  expect(within(rowOf('second.backup')).getByText('Failed')).toBeTruthy();
  expect(within(rowOf('first.backup')).getByText('2 MB')).toBeTruthy();
});

it('sends a test mail and shows what the mail server said', async () => {
  storage.mockResolvedValue(found);
  const user = userEvent.setup();
  await renderPage(<StoragePage />, '/storage');
  test.mockResolvedValueOnce({ result: { isSent: true, milliseconds: 12, problem: '' } });
  await user.type(await screen.findByLabelText(/Address/), 'anna@example.org');
  await user.click(screen.getByRole('button', { name: 'Send a test mail' }));
  expect(await screen.findByText('The mail server took the mail in 12 ms.')).toBeTruthy();
  expect(test).toHaveBeenCalledWith({ address: 'anna@example.org' });
  test.mockResolvedValueOnce({ result: { isSent: false, milliseconds: 1, problem: 'Refused.' } });
  await user.click(screen.getByRole('button', { name: 'Send a test mail' }));
  expect(await screen.findByText('Refused.')).toBeTruthy();
});

it('says what to set without a mail server', async () => {
  storage.mockResolvedValue(found);
  mail.mockResolvedValue({ isSetUp: false, canConfirm: false, isFailing: false });
  await renderPage(<StoragePage />, '/storage');
  expect(await screen.findByText(/The server sends no mail/)).toBeTruthy();
});

it('says so without permission', async () => {
  storage.mockRejectedValue(new ApiError('No.', 7, 403));
  await renderPage(<StoragePage />, '/storage');
  expect(await screen.findByText('No permission')).toBeTruthy();
});
