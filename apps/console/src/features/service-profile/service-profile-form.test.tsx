import { screen, within } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { renderPage } from '../../testing/render.tsx';
import { ServiceProfileForm } from './service-profile-form.tsx';

vi.mock('../../api/queries.ts', () => ({
  query: (...key: unknown[]) => ({
    queryKey: key,
    queryFn: async () => ({ totalCount: '1', result: [{ id: '7', name: 'embedded EU868' }] }),
  }),
}));

vi.mock('../../session/session.tsx', () => ({ useMay: () => () => true }));

const stored = { id: '1', name: 'standard', networkServerID: '7', devStatusReqFreq: 0, drMin: 0, drMax: 5 };

const open = (isNew: boolean) =>
  renderPage(
    <ServiceProfileForm initial={stored} isNew={isNew} submit="Save" onSubmit={async () => {}} onSaved={() => {}} />,
  );

const networkServer = () => screen.findByDisplayValue('embedded EU868');

it('shows the network-server of an existing profile read-only', async () => {
  await open(false);
  expect(await networkServer()).toHaveProperty('disabled', true);
});

it('offers all network-servers for a new profile', async () => {
  await open(true);
  expect(await networkServer()).toHaveProperty('disabled', false);
});

it('shows private gateways last', async () => {
  await open(true);
  const groups = screen.getAllByRole('group');
  expect(within(groups.at(-1)!).getByRole('switch', { name: 'Private gateways' })).toBeTruthy();
});
