import type { UnknownGateway } from '@hilltop/contract';
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { renderPage } from '../../testing/render.tsx';
import { UnknownGateways } from './unknown-gateways.tsx';

const { server } = vi.hoisted(() => ({ server: { unknown: [] as UnknownGateway[] } }));
vi.mock('../../api/queries.ts', () => ({
  query: () => ({ queryKey: ['unknown'], queryFn: async () => ({ result: server.unknown }) }),
}));

/** The nth gateway; a smaller `heardMinutesAgo` means a later last message. */
const unknownGateway = (nth: number, minutesAgo = 0): UnknownGateway => ({
  id: `b827ebfffe${nth.toString(16).padStart(6, '0')}`,
  link: 'SEMTECH_UDP',
  times: 3,
  firstAt: new Date(Date.UTC(2026, 0, 1, 0, nth)).toISOString(),
  lastAt: new Date(Date.UTC(2026, 0, 2, 0, -minutesAgo)).toISOString(),
});

const listed = () =>
  screen.getAllByRole('button', { name: /^Register / }).map((each) => each.getAttribute('aria-label')!.slice(-2));

it('shows the newest few of many, and finds one by a part of its id', async () => {
  server.unknown = Array.from({ length: 200 }, (_, nth) => unknownGateway(nth));
  const onChoose = vi.fn();
  await renderPage(<UnknownGateways chosen="" onChoose={onChoose} />);
  expect(await screen.findByText('6 of 200, the newest first')).toBeTruthy();
  expect(listed()).toEqual(['c7', 'c6', 'c5', 'c4', 'c3', 'c2']);
  await userEvent.type(screen.getByRole('textbox', { name: 'Gateway ID contains' }), 'FE:00:00:1F');
  expect(listed()).toEqual(['1f']);
  await userEvent.click(screen.getByRole('button', { name: 'Register b827ebfffe00001f' }));
  expect(onChoose).toHaveBeenCalledWith('b827ebfffe00001f');
});

it('keeps the order of its rows whichever gateway sends last', async () => {
  server.unknown = [unknownGateway(1, 0), unknownGateway(3, 1), unknownGateway(2, 2)];
  await renderPage(<UnknownGateways chosen="" onChoose={() => undefined} />);
  await screen.findByText('Unregistered gateways that already connect');
  expect(listed()).toEqual(['03', '02', '01']);
  expect(screen.queryByRole('textbox')).toBeNull();
});

it('makes room for the form once a gateway is chosen, and lists them again on request', async () => {
  server.unknown = [unknownGateway(1), unknownGateway(2)];
  await renderPage(<UnknownGateways chosen="b827ebfffe000002" onChoose={() => undefined} />);
  await screen.findByText('Chosen:');
  expect(screen.queryByRole('table')).toBeNull();
  await userEvent.click(screen.getByRole('button', { name: 'Choose another gateway' }));
  expect(listed()).toEqual(['02', '01']);
});

it('says that gateways appear here while there are none', async () => {
  server.unknown = [];
  await renderPage(<UnknownGateways chosen="" onChoose={() => undefined} />);
  expect(await screen.findByText(/already sends to this server appears here/)).toBeTruthy();
});
