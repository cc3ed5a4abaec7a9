import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import { renderPage } from '../../testing/render.tsx';
import { DeviceProfileForm } from './device-profile-form.tsx';
import { emptyDeviceProfile } from './device-profile-values.ts';

vi.mock('../../session/session.tsx', () => ({ useMay: () => () => true }));
const usual = { ...emptyDeviceProfile, adrAlgorithmID: 'default', maxEIRP: 16, rxDelay1: 1, rxFreq2: 869_525_000 };
vi.mock('../../api/queries.ts', () => ({
  query: (resource: string, ...rest: unknown[]) => ({
    queryKey: [resource, ...rest],
    queryFn: async () => ({
      totalCount: '1',
      result: [
        { id: '3', name: 'eu868' },
        { id: '4', name: 'us915' },
      ],
      adrAlgorithms: [{ id: 'default', name: 'Default' }],
      deviceProfile: usual,
    }),
  }),
}));

const valueOf = (name: string) =>
  screen.getByLabelText<HTMLInputElement>(name, { exact: false, selector: 'input' }).value;

async function open() {
  const onSubmit = vi.fn(async () => {});
  await renderPage(
    <DeviceProfileForm
      initial={emptyDeviceProfile}
      isNew
      submit="Create device-profile"
      onSubmit={onSubmit}
      onSaved={() => {}}
    />,
    '/organizations/1/device-profiles/create',
  );
  return { onSubmit, user: userEvent.setup() };
}

describe('the form of a new device-profile', () => {
  it('shows the regional defaults before a network-server is selected', async () => {
    const { user } = await open();
    await waitFor(() => expect(valueOf('Max EIRP')).toBe('16'), { timeout: 4000 });
    await user.click(screen.getByRole('tab', { name: 'Join (OTAA / ABP)' }));
    await user.click(screen.getByRole('switch', { name: 'Device supports OTAA' }));
    expect(valueOf('RX2 channel frequency')).toBe('869525000');
  });

  for (const [tab, supports, timeout] of [
    ['Class-B', 'Device supports Class-B', 'Class-B confirmed downlink timeout'],
    ['Class-C', 'Device supports Class-C', 'Class-C confirmed downlink timeout'],
  ] as const)
    it(`asks for the timeout of ${tab} when the device supports it`, async () => {
      const { user, onSubmit } = await open();
      await user.click(screen.getByRole('tab', { name: tab }));
      expect(screen.queryByLabelText(timeout, { exact: false })).toBeNull();
      await user.click(screen.getByRole('switch', { name: supports }));
      expect(valueOf(timeout)).toBe('');
      await user.click(screen.getByRole('button', { name: 'Create device-profile' }));
      await user.click(screen.getByRole('tab', { name: new RegExp(tab) }));
      expect(await screen.findByText(`${timeout} is required.`)).toBeDefined();
      expect(onSubmit).not.toHaveBeenCalled();
    });
});
