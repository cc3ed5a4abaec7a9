import type { GatewayAvailability as Availability } from '@hilltop/contract';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { renderPage } from '../../testing/render.tsx';
import { GatewayAvailability } from './gateway-availability.tsx';
import { GatewayDependents } from './gateway-dependents.tsx';

const { server } = vi.hoisted(() => ({ server: { answers: {} as Record<string, object> } }));
vi.mock('../../api/queries.ts', () => ({
  query: (_resource: string, verb: string) => ({ queryKey: [verb], queryFn: async () => server.answers[verb] }),
}));
vi.mock('../../api/use-offered.ts', () => ({ useOffered: () => true }));

const dayMs = 86_400_000;
const first = new Date(2026, 10, 1).getTime();
const at = (days: number) => new Date(first + days * dayMs).toISOString();
const days = [0, 1, 2].map((day) => ({
  ...{ start: at(day), online: 86_400, offline: 0, stopped: 0, hours: [] },
  ...(day === 1 && { online: 43_200, offline: 43_200 }),
}));
const outage = (start: number, end: number | null, reason = 'MQTT last will') => ({
  start: at(start),
  end: end === null ? null : at(end),
  reason,
  isServerStop: false,
});
const availability = (change: Partial<Availability>): Availability => ({
  ...{ state: 'ONLINE', heardAt: at(2), knownFrom: at(0), onlineWindow: 90, hasOnlyStatistics: false },
  ...{ onlineShare: 0.9919, days, outageCount: 0, outages: [] },
  ...change,
});
const open = async (change: Partial<Availability>) => {
  server.answers = { get: availability(change) };
  await renderPage(<GatewayAvailability gatewayID="0102030405060708" />);
};
const reasons = () =>
  within(screen.getByRole('table'))
    .getAllByRole('row')
    .slice(1)
    .map((row) => within(row).getAllByRole('cell').at(-1)!.textContent);

it('shows the share, and lists the outages of a chosen day, also by the keyboard', async () => {
  const outages = [outage(2.2, null, 'third'), outage(1.2, 1.7, 'second'), outage(0.1, 0.2, 'first')];
  await open({ outages, outageCount: 3 });
  expect(await screen.findByText('99.2 %')).toBeTruthy();
  expect(reasons()).toEqual(['third', 'second', 'first']);
  expect(screen.getByText('ongoing')).toBeTruthy();
  const columns = screen.getAllByRole('button', { name: /online/ });
  expect(columns.map((one) => one.tabIndex)).toEqual([-1, -1, 0]);
  columns[2]!.focus();
  await userEvent.keyboard('{ArrowLeft}');
  expect(document.activeElement?.getAttribute('aria-label')).toMatch(/: 50\.0 % online, offline for 12 h$/);
  await userEvent.keyboard('{Enter}');
  expect(reasons()).toEqual(['second']);
  await userEvent.keyboard('{Enter}');
  expect(reasons()).toHaveLength(3);
});

it('shows five outages until all are wanted, and how many the server leaves out', async () => {
  await open({ outages: Array.from({ length: 7 }, (_, nth) => outage(nth / 10, nth / 10 + 0.01)), outageCount: 9 });
  expect(await screen.findAllByRole('row')).toHaveLength(6);
  await userEvent.click(screen.getByRole('button', { name: 'Show all 7' }));
  expect(screen.getAllByRole('row')).toHaveLength(8);
  expect(screen.getByText('2 earlier ones are not listed.')).toBeTruthy();
});

it('says what is not known', async () => {
  await open({ knownFrom: null, hasOnlyStatistics: true, onlineWindow: 300 });
  expect(await screen.findByText('Nothing was received from this gateway yet.')).toBeTruthy();
  expect(screen.getByText(/remote and reports only statistics: online means statistics within 5 min/)).toBeTruthy();
});

it('finds the devices that need the gateway when asked', async () => {
  const device = { name: 'meter', applicationID: '2', organizationID: '1', uplinks: 24 };
  server.answers = {
    listDependents: {
      ...{ totalCount: '2', soleCount: 1, examinedCount: 40, unknownCount: 1, isPartial: false, computedAt: at(1) },
      result: [
        { ...device, devEUI: '01' },
        { ...device, devEUI: '02', name: 'lamp', otherMargin: 1.25 },
      ],
    },
  };
  await renderPage(<GatewayDependents gatewayID="0102030405060708" />);
  expect(screen.queryByRole('table')).toBeNull();
  await userEvent.click(screen.getByRole('button', { name: 'Find devices' }));
  expect(
    await screen.findByText('1 device would not be received, 1 device only with less than 3 dB of margin.'),
  ).toBeTruthy();
  expect(screen.getByRole('link', { name: 'meter' }).getAttribute('href')).toBe(
    '/organizations/1/applications/2/devices/01',
  );
  expect(screen.getAllByRole('row').map((row) => row.textContent)).toEqual([
    'DeviceUplinks in 24 hOther gateways',
    'meter24none',
    'lamp241.3 dB of margin',
  ]);
  expect(screen.getByText(/1 device is not known: the service-profile adds no gateway metadata/)).toBeTruthy();
});
