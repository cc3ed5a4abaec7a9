import type { AttentionCount, AttentionItem } from '@hilltop/contract';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import { renderPage } from '../../testing/render.tsx';
import { AllAttention } from './attention-page.tsx';

const { list, snooze, person } = vi.hoisted(() => ({
  list: Object.assign(vi.fn(), { choices: async () => [], isOffered: async () => true }),
  snooze: vi.fn(),
  person: { mayChange: true },
}));
vi.mock(import('../../api/client.ts'), async (original) => {
  const client = await original();
  return { ...client, api: { attention: { list, snooze } } as unknown as typeof client.api };
});
vi.mock('../../session/session.tsx', () => ({ useMay: () => () => person.mayChange }));
afterEach(() => {
  vi.clearAllMocks();
  person.mayChange = true;
});

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
const battery: AttentionItem = {
  id: 'a',
  condition: 'LOW_BATTERY',
  subjectKind: 'DEVICE',
  subjectID: '0102030405060708',
  name: 'barn',
  integrationKind: '',
  organizationID: '3',
  organizationName: 'Farm',
  applicationID: '5',
  since: minutesAgo(90),
  value: 12.34,
  text: '',
  snoozedUntil: null,
};
const count: AttentionCount = { condition: 'LOW_BATTERY', count: 84, snoozed: 0, omitted: 0, since: minutesAgo(90) };
const answer = { counts: [count], result: [battery], evaluatedAt: minutesAgo(1), deviceCount: 312, gatewayCount: 14 };

it('shows each condition with its number, its first subjects and a link to the list of all', async () => {
  list.mockResolvedValue(answer);
  await renderPage(<AllAttention />, '/attention');
  const group = await screen.findByRole('region', { name: '84 low batteries' });
  expect(within(group).getByRole('link', { name: 'barn' }).getAttribute('href')).toBe(
    '/organizations/3/applications/5/devices/0102030405060708/timeline',
  );
  expect(within(group).getByText('12.3 %')).toBeTruthy();
  expect(within(group).getByText('1 h ago')).toBeTruthy();
  const all = within(group).getByRole('link', { name: 'Show all 84' });
  expect(decodeURIComponent(all.getAttribute('href')!)).toContain('/devices?filter=condition:is:LOW_BATTERY');
});

it('says in plain words why joins were refused', async () => {
  const refused: AttentionItem = { ...battery, condition: 'JOIN_REFUSED', value: 7, text: 'validate dev-nonce error' };
  list.mockResolvedValue({ ...answer, counts: [{ ...count, condition: 'JOIN_REFUSED' }], result: [refused] });
  await renderPage(<AllAttention />, '/attention');
  expect(await screen.findByText(/has used this DevNonce before/)).toBeTruthy();
});

it('says that nothing needs attention, and for how many devices that was found', async () => {
  list.mockResolvedValue({ ...answer, counts: [], result: [] });
  await renderPage(<AllAttention />, '/attention');
  expect(await screen.findByText('Nothing needs attention')).toBeTruthy();
  expect(screen.getByText('312 devices and 14 gateways are as expected.')).toBeTruthy();
});

it('says of when it is when the evaluation is late', async () => {
  list.mockResolvedValue({ ...answer, evaluatedAt: minutesAgo(4) });
  await renderPage(<AllAttention />, '/attention');
  expect(await screen.findByText(/^As of \d/)).toBeTruthy();
});

it('snoozes one until it ends, and shows it on request', async () => {
  list.mockResolvedValue({ ...answer, counts: [{ ...count, snoozed: 2 }] });
  snooze.mockResolvedValue({});
  const user = userEvent.setup();
  await renderPage(<AllAttention />, '/attention');
  await user.click(await screen.findByRole('button', { name: 'Snooze barn' }));
  const dialog = await screen.findByRole('dialog', { name: 'Snooze barn' });
  await user.click(within(dialog).getByRole('button', { name: 'Until it ends' }));
  expect(snooze).toHaveBeenCalledWith({ id: 'a', time: 'UNTIL_IT_ENDS' });
  await user.click(screen.getByRole('switch', { name: 'Show snoozed (2)' }));
  expect(list.mock.lastCall?.[0]).toMatchObject({ includeSnoozed: true });
});

it('offers no snooze to those who may not', async () => {
  person.mayChange = false;
  list.mockResolvedValue(answer);
  await renderPage(<AllAttention />, '/attention');
  expect(await screen.findByRole('link', { name: 'barn' })).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Snooze barn' })).toBeNull();
});
