import type { JoinCheck } from '@hilltop/contract';
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import { renderPage } from '../../testing/render.tsx';
import { JoinDoctor } from './join-doctor.tsx';

const { calls, rights } = vi.hoisted(() => ({
  calls: {
    doctor: vi.fn(),
    getKeys: vi.fn(),
    updateKeys: vi.fn(),
    get: vi.fn(),
    create: vi.fn(),
    createKeys: vi.fn(),
    update: vi.fn(),
    delete: vi.fn(),
  },
  rights: { may: (_operation: string): boolean => true },
}));
vi.mock(import('../../api/client.ts'), async (original) => {
  const client = await original();
  const { doctor, ...device } = calls;
  const joinDoctor = { get: Object.assign(doctor, { isOffered: async () => true }) };
  return { ...client, api: { joinDoctor, device } as unknown as typeof client.api };
});
vi.mock(import('../../session/session.tsx'), async (original) => ({
  ...(await original()),
  useMay: () => (operation: string) => rights.may(operation),
}));
afterEach(() => {
  vi.clearAllMocks();
  rights.may = () => true;
});

const check = (more: Partial<JoinCheck>): JoinCheck => ({
  ...{ check: 'SIGNATURE', state: 'PROBLEM', finding: '', parameters: {}, text: '', fix: 'NONE' },
  ...more,
});
const reversedKey = check({ finding: 'KEY_REVERSED', fix: 'USE_KEY' });
const render = async (checks: JoinCheck[], verdict = 'PROBLEM', isBrief = false) => {
  calls.doctor.mockResolvedValue({ verdict, checks, requests: [] });
  await renderPage(
    <JoinDoctor devEUI="0102030405060708" applicationID="7" deviceProfileID="p" isBrief={isBrief} />,
    '/organizations/1/applications/7/devices/0102030405060708',
  );
};
const key = '00112233445566778899aabbccddeeff';

it('names a key in the other byte order, and stores it reversed with one click and a confirmation', async () => {
  calls.getKeys.mockResolvedValue({
    deviceKeys: { devEUI: '0102030405060708', nwkKey: key, appKey: '', genAppKey: '' },
  });
  calls.updateKeys.mockResolvedValue({});
  await render([check({ check: 'KEYS', state: 'OK' }), reversedKey]);
  expect(await screen.findByText('The device signs with the stored key in the other byte order.')).toBeTruthy();
  const user = userEvent.setup();
  await user.click(screen.getByRole('button', { name: 'Use that key' }));
  const dialog = await screen.findByRole('dialog', { name: 'Use that key?' });
  await user.click(dialog.querySelector('[type=submit]')!);
  expect(calls.updateKeys).toHaveBeenCalledWith({
    deviceKeys: { devEUI: '0102030405060708', nwkKey: 'ffeeddccbbaa99887766554433221100', appKey: '', genAppKey: '' },
  });
});

it('shows no button to users who may not change the device', async () => {
  rights.may = (operation) => !operation.startsWith('device.');
  await render([reversedKey]);
  await screen.findByText('Signature');
  expect(screen.queryByRole('button', { name: 'Use that key' })).toBeNull();
});

it('recreates a device with the EUI that was received, with its keys and name', async () => {
  const device = { devEUI: '0102030405060708', name: 'meter', applicationID: '7' };
  calls.get.mockResolvedValue({ device });
  calls.getKeys.mockResolvedValue({ deviceKeys: { devEUI: device.devEUI, nwkKey: key } });
  await render([
    check({
      check: 'EUI',
      finding: 'EUI_REVERSED',
      parameters: { eui: '0807060504030201', at: new Date().toISOString() },
      fix: 'RECREATE',
    }),
  ]);
  const user = userEvent.setup();
  await user.click(await screen.findByRole('button', { name: 'Recreate with this EUI' }));
  const dialog = await screen.findByRole('dialog');
  await user.click(dialog.querySelector('[type=submit]')!);
  await vi.waitFor(() => expect(calls.update).toHaveBeenCalled());
  expect(calls.create).toHaveBeenCalledWith({ device: { ...device, devEUI: '0807060504030201', name: 'meter-0201' } });
  expect(calls.createKeys).toHaveBeenCalledWith({ deviceKeys: { devEUI: '0807060504030201', nwkKey: key } });
  expect(calls.delete).toHaveBeenCalledWith({ devEUI: device.devEUI });
  expect(calls.update).toHaveBeenCalledWith({ device: { ...device, devEUI: '0807060504030201' } });
});

it('shows the time of a finding as it passes', async () => {
  const at = new Date(Date.now() - 180_000).toISOString();
  await render([check({ check: 'RECEIVED', finding: 'FORMER_SESSION', parameters: { devAddr: '26000001', at } })]);
  expect(await screen.findByText(/former session \(26000001, 3 min ago\)/)).toBeTruthy();
});

it('is not shown once the device has joined, nor beside other words while nothing is wrong', async () => {
  await render([check({ state: 'OK' })], 'JOINED');
  await vi.waitFor(() => expect(calls.doctor).toHaveBeenCalled());
  expect(screen.queryByText('Why does it not join?')).toBeNull();
  await render([check({ state: 'WAITING' })], 'WAITING', true);
  expect(screen.queryByText('Why does it not join?')).toBeNull();
});
