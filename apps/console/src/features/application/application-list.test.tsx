import { screen, within } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { renderPage } from '../../testing/render.tsx';
import { ApplicationList } from './application-list.tsx';

const { list } = vi.hoisted(() => ({ list: Object.assign(vi.fn(), { choices: async () => ['counts'] }) }));
vi.mock(import('../../api/client.ts'), async (original) => {
  const client = await original();
  return { ...client, api: { application: { list } } as unknown as typeof client.api };
});
vi.mock(import('../../components/link/use-ids.ts'), async (original) => ({
  ...(await original()),
  useIDs: () => ({ organizationID: '7' }) as never,
}));
vi.mock('../../session/session.tsx', () => ({ useMay: () => () => false }));
afterEach(() => vi.clearAllMocks());

it('leads from the counts of devices to the devices that are counted', async () => {
  const doors = {
    id: '3',
    name: 'doors',
    organizationID: '7',
    serviceProfileID: 's',
    serviceProfileName: 'all',
    description: '',
    deviceCount: 1029,
    activeCount: 1024,
    inactiveCount: 0,
    uplinkCount: 12,
  };
  list.mockResolvedValue({ totalCount: '1', result: [doors] });
  await renderPage(<ApplicationList />, '/organizations/7/applications');
  const table = await screen.findByRole('table', { name: 'Applications' });
  const names = within(table)
    .getAllByRole('columnheader')
    .map(({ textContent }) => textContent);
  const cells = within(table).getAllByRole('cell');
  const leadsTo = (header: string) => {
    const cell = cells[names.indexOf(header)]!;
    return [cell.textContent, cell.querySelector('a')?.getAttribute('href')];
  };
  expect(leadsTo('Devices')).toEqual(['1,029', '/organizations/7/applications/3']);
  expect(leadsTo('Never seen')).toEqual(['5', '/organizations/7/applications/3?filter=state:is:neverSeen']);
  expect(leadsTo('Inactive')).toEqual(['0', undefined]);
});
