import { screen, within } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { renderPage } from '../../testing/render.tsx';
import { GatewayAirtime } from './gateway-airtime.tsx';

const { server } = vi.hoisted(() => ({ server: { answer: {} as object } }));
vi.mock('../../api/queries.ts', () => ({
  query: () => ({ queryKey: ['airtime'], queryFn: async () => server.answer }),
}));

const none = {
  ...{ isReported: true, region: 'EU868', ownMs: 0, foreignMs: 0, unreadableMs: 0, sentMs: 0, unreadableFrames: 0 },
  ...{ stepMs: 3_600_000, steps: [], channels: [], networks: [], devices: [], subBands: [] },
};
const hour = new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000).toISOString();

const cells = async (title: string) => {
  const table = within(await screen.findByRole('region', { name: title })).getByRole('table');
  return within(table)
    .getAllByRole('row')
    .slice(1)
    .map((row) =>
      within(row)
        .getAllByRole('cell')
        .map(({ textContent }) => textContent),
    );
};

it('says what was received by channel, network and device, and what was sent against the limit', async () => {
  server.answer = {
    ...none,
    ...{ ownMs: 90_000, foreignMs: 6000, unreadableMs: 500, unreadableFrames: 1, sentMs: 18_000 },
    steps: [{ startsAt: hour, ownMs: 90_000, foreignMs: 6000, unreadableMs: 500, sentMs: 18_000 }],
    channels: [
      { frequency: 868_100_000, dr: 0, ownMs: 60_000, foreignMs: 0 },
      { frequency: 868_100_000, dr: 5, ownMs: 30_000, foreignMs: 6000 },
    ],
    networks: [
      { netID: '000013', ms: 4500 },
      { netID: '0000ff', ms: 1000 },
      { netID: '', ms: 500 },
    ],
    devices: [
      { devEUI: '0102030405060708', name: 'meter', applicationID: '1', organizationID: '1', ms: 45_000 },
      { devEUI: '', name: '', applicationID: '0', organizationID: '0', ms: 9000 },
    ],
    subBands: [
      { from: 868_000_000, to: 868_600_000, dutyCycle: 0.01, sentMs: 18_000, fullestHourMs: 18_000 },
      { from: 869_400_000, to: 869_650_000, dutyCycle: 0.1, sentMs: 0, fullestHourMs: 432_000 },
    ],
  };
  await renderPage(<GatewayAirtime />);
  expect(await cells('Received by channel')).toEqual([
    ['868.1 MHz', 'DR0 1.0 min, DR5 36.0 s', '1.5 min', '6.0 s', '0.11 %'],
  ]);
  expect(await cells('Foreign networks')).toEqual([
    ['The Things Network (000013)', '', '4.5 s', '75 %'],
    ['NetID 0000ff', '', '1.0 s', '17 %'],
    ['No NetID, and others', '', '500 ms', '8.3 %'],
  ]);
  expect(await cells('Loudest devices')).toEqual([
    ['meter', '', '45.0 s', '50 %'],
    ['another organization', '', '9.0 s', '10 %'],
  ]);
  expect(await cells('Sent by sub-band')).toEqual([
    ['868–868.6 MHz', '', '1 %', '50 %', '0.02 %'],
    ['869.4–869.65 MHz', '', '10 %', '120 %', '0 %'],
  ]);
  expect(screen.getByText('Unreadable, 1 frame')).toBeTruthy();
});

it('says that a remote network-server reports no frames, and when there are none', async () => {
  server.answer = { ...none, isReported: false };
  const { unmount } = await renderPage(<GatewayAirtime />);
  expect(await screen.findByText('Not reported')).toBeTruthy();
  expect(screen.queryByRole('radiogroup', { name: 'Range' })).toBeNull();
  unmount();
  server.answer = none;
  await renderPage(<GatewayAirtime />);
  expect(await screen.findByText('No frames in this range')).toBeTruthy();
});
