import type { UnknownDevice } from '@hilltop/contract';
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import { renderPage } from '../../testing/render.tsx';
import { UnknownDevices } from './unknown-devices.tsx';

const { list, hide } = vi.hoisted(() => ({
  list: Object.assign(vi.fn(), { choices: async () => [], accepts: async () => true, isOffered: async () => true }),
  hide: vi.fn(),
}));
vi.mock(import('../../api/client.ts'), async (original) => {
  const client = await original();
  return { ...client, api: { unknownDevice: { list, hide } } as unknown as typeof client.api };
});
vi.mock(import('../../session/session.tsx'), async (original) => ({
  ...(await original()),
  useMay: () => () => true,
}));
afterEach(() => vi.clearAllMocks());

const meter: UnknownDevice = {
  ...{ devEUI: '0102030405060708', joinEUI: '70b3d57ed0000001', devNonce: 1, times: 1234 },
  ...{ firstAt: new Date().toISOString(), lastAt: new Date(Date.now() - 120_000).toISOString() },
  ...{ networkServerID: '3', region: 'EU868' },
  gateways: [
    { gatewayID: '0a00000000000001', name: 'roof', rssi: -97, snr: 5 },
    { gatewayID: '0a00000000000002', name: 'yard', rssi: -110, snr: 1 },
  ],
};
const answer = { totalCount: '1', result: [meter], others: '41200', isEnabled: true };

it('shows who received a device, leads to its registration, and hides it', async () => {
  list.mockResolvedValue(answer);
  hide.mockResolvedValue({});
  await renderPage(<UnknownDevices />, '/organizations/1/unknown');
  expect((await screen.findByRole('link', { name: 'roof' })).getAttribute('href')).toContain(
    '/gateways/0a00000000000001',
  );
  expect(screen.getByText('1,234')).toBeTruthy();
  expect(screen.getByText('And 41,200 join-requests of more devices than are stored.')).toBeTruthy();
  const register = screen.getByRole('link', { name: 'Register 0102030405060708' });
  expect(register.getAttribute('href')).toMatch(/devices\/add\?eui=0102030405060708&server=3/);
  await userEvent.setup().click(screen.getByRole('button', { name: 'Hide 0102030405060708' }));
  expect(hide).toHaveBeenCalledWith({ organizationID: '', devEUI: '0102030405060708' });
});

it('says that the operator has switched it off', async () => {
  list.mockResolvedValue({ totalCount: '0', result: [], others: '0', isEnabled: false });
  await renderPage(<UnknownDevices />, '/organizations/1/unknown');
  expect(await screen.findByText('Unregistered devices are not stored')).toBeTruthy();
});
