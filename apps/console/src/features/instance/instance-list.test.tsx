import { screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { renderPage } from '../../testing/render.tsx';
import { InstanceList } from './instance-list.tsx';

const { list } = vi.hoisted(() => ({ list: Object.assign(vi.fn(), { choices: async () => [] }) }));
vi.mock(import('../../api/client.ts'), async (original) => {
  const client = await original();
  return { ...client, api: { instance: { list } } as unknown as typeof client.api };
});
afterEach(() => vi.clearAllMocks());

const figures = { gateways: 12, copiesPerSecond: 25.04, uplinksPerSecond: 10, downlinksPerSecond: 0, lagMs: 1.26 };
const one = {
  id: 'a',
  name: 'one',
  version: '1.0.0',
  startedAt: '2026-11-21T10:00:00Z',
  isAnswering: true,
  listens: ['HTTP 10.0.0.1:8080'],
  figures,
};

it('shows the load of each instance, and which one does not respond', async () => {
  const silent = { ...one, id: 'b', name: 'two', isAnswering: false, listens: [], figures: null };
  list.mockResolvedValue({ totalCount: '2', result: [one, silent], isAlone: false });
  await renderPage(<InstanceList />, '/instances');
  expect(await screen.findByText('Serves this page')).toBeTruthy();
  expect(screen.getByText('Does not respond')).toBeTruthy();
  for (const text of ['10.0.0.1:8080', '25/s', '10/s', '1.3 ms']) expect(screen.getByText(text)).toBeTruthy();
  expect(screen.queryByText(/HILLTOP_REDIS_URL/)).toBeNull();
});

it('says that a single instance is alone, and how to add more', async () => {
  list.mockResolvedValue({ totalCount: '1', result: [one], isAlone: true });
  await renderPage(<InstanceList />, '/instances');
  expect(await screen.findByText(/HILLTOP_REDIS_URL/)).toBeTruthy();
});
