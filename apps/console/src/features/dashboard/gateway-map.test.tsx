import type { GatewayPlace } from '@hilltop/contract';
import { screen } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { renderPage } from '../../testing/render.tsx';
import { GatewayMap } from './gateway-map.tsx';

const { list } = vi.hoisted(() => ({ list: vi.fn() }));
vi.mock(import('../../api/client.ts'), async (original) => {
  const client = await original();
  const isOffered = async () => true;
  const api = {
    preload: async () => {},
    gateway: { list: vi.fn() },
    gatewayPlace: { list: Object.assign(list, { isOffered, choices: async () => [] }) },
  };
  return { ...client, api: api as unknown as typeof client.api };
});
vi.mock('../../session/session.tsx', () => ({ useMay: () => () => true }));
vi.mock('../../components/map/use-in-view.ts', () => ({ useInView: () => true }));
vi.mock('../../components/map/device-layer.tsx', () => ({ useDeviceLayer: () => ({ isOffered: false, points: [] }) }));
vi.mock('../../components/map/map.tsx', () => ({ preloadMap: () => {}, WorldMap: () => null }));

const gateway = { id: 'b827ebfffe000001', name: 'roof', organizationID: '7', latitude: 0, longitude: 0 };
const other = { ...gateway, id: 'b827ebfffe000002' };

it.each([
  [[], '7', 'Connect a gateway', '/organizations/7/gateways/connect'],
  [[gateway], '7', 'Set its position', '/organizations/7/gateways/b827ebfffe000001/edit'],
  [[gateway, other], '7', 'Show gateways', '/organizations/7/gateways'],
  [[gateway, other], '0', 'Show gateways', '/devices/gateways'],
] as [Partial<GatewayPlace>[], string, string, string][])(
  'offers the next action while no gateway has a position: %#',
  async (result, organizationID, action, address) => {
    list.mockResolvedValue({ result });
    await renderPage(<GatewayMap organizationID={organizationID} />);
    expect((await screen.findByRole('link', { name: action })).getAttribute('href')).toBe(address);
  },
);
