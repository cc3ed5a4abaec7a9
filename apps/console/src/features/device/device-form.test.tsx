import type { Device } from '@hilltop/contract';
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import { renderPage } from '../../testing/render.tsx';
import { DeviceForm } from './device-form.tsx';

const profileID = '3d1f7c52-5f0e-4c53-9d2a-6a4d0a6a7c11';

/** What the list of device-profiles waits for. */
const profiles = vi.hoisted(() => ({ arrive: Promise.resolve() }));

vi.mock('../../session/session.tsx', () => ({ useMay: () => () => true }));
vi.mock('../../api/queries.ts', () => ({
  query: (...key: unknown[]) => ({
    queryKey: key,
    queryFn: async () => {
      await profiles.arrive;
      return { totalCount: '1', result: [{ id: profileID, name: 'soil-otaa' }] };
    },
  }),
}));

const stored: Device = {
  devEUI: '0a1b2c3d4e5f6071',
  name: 'soil-1',
  applicationID: '7',
  description: 'In the first bed',
  deviceProfileID: profileID,
  skipFCntCheck: false,
  referenceAltitude: 0,
  variables: {},
  tags: { bed: '1' },
  isDisabled: false,
};

async function open(initial: Device, rest: { isNew?: boolean; disabled?: boolean } = {}) {
  const onSubmit = vi.fn(async (_device: Device) => {});
  await renderPage(
    <DeviceForm initial={initial} submit="Save device" onSubmit={onSubmit} onSaved={() => {}} {...rest} />,
  );
  const user = userEvent.setup();
  const save = () => user.click(screen.getByRole('button', { name: 'Save device' }));
  return { user, save, onSubmit };
}

describe('the device form', () => {
  it('refuses a name with characters other than letters, digits and dashes, and an incomplete EUI', async () => {
    const { user, save, onSubmit } = await open({ ...stored, name: 'soil 1', devEUI: '' }, { isNew: true });
    await user.type(screen.getByLabelText(/Device EUI/, { selector: 'input' }), '0102');
    await save();
    expect(onSubmit).not.toHaveBeenCalled();
    expect(screen.getByText('The name may only contain words, numbers and dashes.')).toBeDefined();
    expect(screen.getByText(/Device EUI must be 8 bytes/)).toBeDefined();
  });

  it('sends the EUI most significant byte first, in whatever order it was entered', async () => {
    const { user, save, onSubmit } = await open({ ...stored, devEUI: '' }, { isNew: true });
    await user.click(screen.getByRole('button', { name: 'Byte order MSB' }));
    await user.click(screen.getByLabelText(/Device EUI/, { selector: 'input' }));
    await user.paste('71605f4e3d2c1b0a');
    await save();
    expect(onSubmit.mock.lastCall?.[0].devEUI).toBe('0a1b2c3d4e5f6071');
  });

  it('blocks submitting two tags with one name, and opens their tab', async () => {
    const { user, save, onSubmit } = await open(stored);
    await user.click(screen.getByRole('tab', { name: 'Tags' }));
    await user.click(screen.getByRole('button', { name: 'Add tag' }));
    await user.type(screen.getByLabelText('Name of tag 2'), 'bed');
    await user.click(screen.getByRole('tab', { name: 'General' }));
    await save();
    expect(onSubmit).not.toHaveBeenCalled();
    expect(screen.getByRole('tab', { name: /Tags/ }).getAttribute('aria-selected')).toBe('true');
    await user.type(screen.getByLabelText('Name of tag 2'), '-row');
    await user.type(screen.getByLabelText('Value of tag 2'), '4');
    await save();
    expect(onSubmit.mock.lastCall?.[0].tags).toEqual({ bed: '1', 'bed-row': '4' });
  });

  it('keeps a list open that was opened before its options arrived', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    profiles.arrive = promise;
    const { user } = await open(stored, { isNew: true });
    await user.click(screen.getByRole('combobox', { name: /Device-profile/ }));
    resolve();
    await screen.findByRole('link', { name: 'Create a device-profile' });
    expect(screen.getByRole('combobox', { name: /Device-profile/ }).getAttribute('aria-expanded')).toBe('true');
  });

  it('is read-only without permission', async () => {
    await open(stored, { disabled: true });
    expect(screen.queryByRole('button', { name: 'Save device' })).toBeNull();
    expect(screen.getByLabelText<HTMLInputElement>(/Device name/).disabled).toBe(true);
    expect(screen.queryByRole('button', { name: 'Add tag' })).toBeNull();
  });
});
