import type { MulticastGroup } from '@hilltop/contract';
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import { renderPage } from '../../testing/render.tsx';
import { emptyGroup, MulticastGroupForm } from './multicast-group-form.tsx';

const key = '2b7e151628aed2a6abf7158809cf4f3c';
const stored: MulticastGroup = {
  ...emptyGroup,
  id: '3d1f7c52-5f0e-4c53-9d2a-6a4d0a6a7c11',
  name: 'street lights',
  applicationID: '7',
  mcAddr: '01020304',
  mcNwkSKey: key,
  mcAppSKey: key,
  fCnt: 40,
  frequency: 869_525_000,
};

async function open(initial: MulticastGroup) {
  const onSubmit = vi.fn(async (_group: MulticastGroup) => {});
  await renderPage(<MulticastGroupForm initial={initial} submit="Save group" onSubmit={onSubmit} onSaved={() => {}} />);
  const user = userEvent.setup();
  const save = () => user.click(screen.getByRole('button', { name: 'Save group' }));
  return { user, save, onSubmit };
}

describe('the multicast-group form', () => {
  it('requires address, keys and the frequency of a Class-C group', async () => {
    const { save, onSubmit } = await open(emptyGroup);
    await save();
    expect(onSubmit).not.toHaveBeenCalled();
    for (const label of ['Multicast-group name', 'Multicast address', 'Multicast network session key'])
      expect(screen.getByText(`${label} is required.`)).toBeDefined();
    expect(screen.getByText('Enter the frequency in Hz.')).toBeDefined();
  });

  it('generates random address and keys, each different', async () => {
    const { user, save, onSubmit } = await open({ ...emptyGroup, name: 'new', frequency: 869_525_000 });
    for (const button of screen.getAllByRole('button', { name: 'Random value' })) await user.click(button);
    await save();
    const { mcAddr, mcNwkSKey, mcAppSKey } = onSubmit.mock.lastCall![0];
    expect([mcAddr.length, mcNwkSKey.length, mcAppSKey.length]).toEqual([8, 32, 32]);
    expect(mcNwkSKey).not.toBe(mcAppSKey);
  });

  it('shows ping-slots only for Class-B, where the region may decide the frequency', async () => {
    const { user, save, onSubmit } = await open({ ...stored, groupType: 'CLASS_B', frequency: 0 });
    await user.click(screen.getByRole('combobox', { name: /ping-slot periodicity/ }));
    await user.click(await screen.findByRole('option', { name: 'every 4 seconds', hidden: true }));
    await save();
    expect(onSubmit.mock.lastCall![0]).toMatchObject({ groupType: 'CLASS_B', frequency: 0, pingSlotPeriod: 128 });
    await user.click(screen.getByRole('combobox', { name: /Multicast-group type/ }));
    await user.click(await screen.findByRole('option', { name: 'Class-C', hidden: true }));
    expect(screen.queryByRole('combobox', { name: /ping-slot periodicity/ })).toBeNull();
  });

  it('reveals stored keys only on demand', async () => {
    await open(stored);
    expect(document.body.innerHTML).not.toContain('2b 7e');
  });
});
