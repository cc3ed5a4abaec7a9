import type { Gateway } from '@hilltop/contract';
import { cleanup, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import { renderPage } from '../../testing/render.tsx';
import { GatewayCreate, GatewayForm } from './gateway-form.tsx';

vi.mock('../../components/map/map.tsx', () => ({ WorldMap: () => null }));
vi.mock('../../session/session.tsx', () => ({
  useMay: () => () => true,
  useCurrentOrganization: () => ({ canHaveGateways: false }),
}));
vi.mock('../../api/queries.ts', () => ({
  query: (resource: string, ...rest: unknown[]) => ({
    queryKey: [resource, ...rest],
    queryFn: async () => ({
      totalCount: '2',
      result: [
        { id: `${resource}-1`, name: `${resource} one` },
        { id: `${resource}-2`, name: `${resource} two` },
      ],
    }),
  }),
}));

const empty: Gateway = {
  id: '',
  name: 'roof',
  description: 'On the roof',
  organizationID: '1',
  discoveryEnabled: false,
  networkServerID: '',
  serviceProfileID: '',
  gatewayProfileID: '',
  boards: [],
  tags: {},
  metadata: { model: 'RAK7268' },
  location: { latitude: 0, longitude: 0, altitude: 12, source: 'UNKNOWN', accuracy: 0 },
};

async function open(metadata = empty.metadata) {
  const onSubmit = vi.fn(async (_gateway: Gateway) => {});
  await renderPage(
    <GatewayForm
      initial={{ ...empty, metadata }}
      isNew
      submit="Create gateway"
      onSubmit={onSubmit}
      onSaved={() => {}}
    />,
  );
  const user = userEvent.setup();
  const choose = async (field: string, option: string) => {
    await user.click(screen.getByRole('combobox', { name: field }));
    await user.click(await screen.findByRole('option', { name: option }));
  };
  return { user, choose, onSubmit };
}

describe('the page to create a gateway', () => {
  it('shows "No permission" in an organization that cannot have gateways', async () => {
    await renderPage(<GatewayCreate />, '/organizations/1/gateways/create');
    expect(screen.getByRole('heading', { name: 'No permission' })).toBeDefined();
    cleanup();
  });
});

describe('the gateway form', () => {
  it('clears the profiles when another network-server is selected', async () => {
    const { user, choose, onSubmit } = await open();
    await user.click(screen.getByRole('button', { name: 'Random value' }));
    await choose('Network-server', 'networkServer one');
    await choose('Service-profile', 'serviceProfile two');
    await choose('Gateway-profile', 'gatewayProfile one');
    await choose('Network-server', 'networkServer two');
    await user.click(screen.getByRole('button', { name: 'Create gateway' }));
    expect(onSubmit.mock.lastCall?.[0]).toMatchObject({
      networkServerID: 'networkServer-2',
      serviceProfileID: '',
      gatewayProfileID: '',
    });
  });

  it('offers no profile before a network-server is selected, and requires a network-server', async () => {
    const { user, onSubmit } = await open();
    expect(screen.getByRole<HTMLInputElement>('combobox', { name: 'Service-profile' }).disabled).toBe(true);
    await user.click(screen.getByRole('button', { name: 'Create gateway' }));
    expect(screen.getByText('Network-server is required.')).toBeDefined();
    expect(screen.getByText('Gateway ID is required.')).toBeDefined();
    expect(onSubmit).not.toHaveBeenCalled();
  });

  it('counts boards from 0 and removes the right one', async () => {
    const { user, choose, onSubmit } = await open();
    await user.click(screen.getByRole('button', { name: 'Random value' }));
    await choose('Network-server', 'networkServer one');
    for (const _ of [0, 1]) await user.click(screen.getByRole('button', { name: 'Add board configuration' }));
    for (const [index, field] of screen.getAllByLabelText('FPGA ID', { selector: 'input' }).entries()) {
      await user.click(field);
      await user.paste(`000000000000000${index + 1}`);
    }
    await user.click(screen.getByRole('button', { name: 'Delete board #0' }));
    await user.click(screen.getByRole('button', { name: 'Create gateway' }));
    expect(onSubmit.mock.lastCall?.[0].boards).toEqual([{ fpgaID: '0000000000000002', fineTimestampKey: '' }]);
  });

  it('offers to add a board only on the tab of boards', async () => {
    const { user } = await open();
    await user.click(screen.getByRole('tab', { name: 'Tags' }));
    expect(screen.queryByRole('button', { name: 'Add board configuration' })).toBeNull();
  });

  it('explains that a packet forwarder takes no channels from the server', async () => {
    await open();
    expect(screen.queryByText(/configured in a file on the gateway/)).toBeNull();
    cleanup();
    await open({ link: 'semtech-udp' });
    expect(screen.getByText(/configured in a file on the gateway/)).toBeDefined();
  });

  it('shows the metadata read-only', async () => {
    const { user } = await open();
    await user.click(screen.getByRole('tab', { name: 'Metadata' }));
    const value = screen.getByLabelText<HTMLInputElement>('Value of metadata 1');
    expect(value.value).toBe('RAK7268');
    expect(value.readOnly).toBe(true);
  });

  it('stores empty coordinates as no position, a typed 0, 0 as configured, and asks for the other half', async () => {
    const { user, choose, onSubmit } = await open();
    await user.click(screen.getByRole('button', { name: 'Random value' }));
    await choose('Network-server', 'networkServer one');
    const north = screen.getByRole<HTMLInputElement>('textbox', { name: 'Latitude' });
    expect([north.value, north.placeholder]).toEqual(['', 'Not set']);
    const create = () => user.click(screen.getByRole('button', { name: 'Create gateway' }));
    await create();
    expect(onSubmit.mock.lastCall?.[0].location).toMatchObject({ latitude: 0, longitude: 0, source: 'UNKNOWN' });
    await user.type(north, '0');
    await create();
    expect(screen.getByText('Longitude is required.')).toBeDefined();
    expect(onSubmit).toHaveBeenCalledTimes(1);
    await user.type(screen.getByRole('textbox', { name: 'Longitude' }), '0');
    await create();
    expect(onSubmit.mock.lastCall?.[0].location).toMatchObject({ latitude: 0, longitude: 0, source: 'CONFIG' });
  });
});
