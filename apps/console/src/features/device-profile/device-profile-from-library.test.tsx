import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it, vi } from 'vitest';
import { renderPage } from '../../testing/render.tsx';
import { DeviceProfileFromLibrary } from './device-profile-from-library.tsx';

const { server } = vi.hoisted(() => ({ server: { profiles: [] as object[], made: [] as object[] } }));
const item = { id: 'm', vendor: 'Acme', name: 'T1', source: 'INSTALLATION', description: '', regions: [] };
vi.mock('../../session/session.tsx', () => ({ useMay: () => () => true }));
vi.mock('../../components/first-step/needs-service-profile.tsx', () => ({ NeedsServiceProfile: () => null }));
vi.mock('./model-preview.tsx', () => ({ ModelPreview: () => null }));
vi.mock('../../api/client.ts', async (original) => ({
  ...(await original<object>()),
  api: { library: { createProfile: async (request: object) => server.made.push(request) } },
}));
vi.mock('../../api/queries.ts', () => ({
  perform: async (call: Promise<unknown>) => {
    await call;
    return { id: 'p' };
  },
  query: (resource: string, verb: string, request: object) => ({
    queryKey: [resource, verb, request],
    queryFn: async () =>
      ({
        networkServer: { result: [{ id: '3', name: 'eu868' }] },
        profileDefaults: { deviceProfile: { rfRegion: 'EU868' } },
        library:
          verb === 'getModel'
            ? {
                model: {
                  ...item,
                  firmwares: [{ version: '', vectorCount: 0, passCount: 0, profiles: server.profiles }],
                },
              }
            : { totalCount: '1', result: [item] },
      })[resource],
  }),
}));

beforeEach(() => {
  server.made = [];
});

async function choose(profiles: object[]) {
  server.profiles = profiles;
  await renderPage(<DeviceProfileFromLibrary />);
  await userEvent.click(await screen.findByRole('button', { name: /Acme T1/ }));
  await vi.waitFor(() =>
    expect(screen.getByRole<HTMLInputElement>('combobox', { name: 'Network-server' }).value).toBe('eu868'),
  );
}

it('asks for no profile when one is for the region, and creates the device-profile from it', async () => {
  await choose([
    { id: 'region', region: 'EU868' },
    { id: 'any', region: '' },
    { id: 'other', region: 'US915' },
  ]);
  await userEvent.click(screen.getByRole('button', { name: 'Create device-profile' }));
  await vi.waitFor(() => expect(server.made).toMatchObject([{ modelID: 'm', profileID: 'region' }]));
  expect(screen.queryByRole('combobox', { name: 'Profile' })).toBeNull();
});

it('asks which of several profiles of the region it creates', async () => {
  await choose([
    { id: 'indoor', region: 'EU868' },
    { id: 'outdoor', region: 'EU868' },
  ]);
  expect((await screen.findByRole<HTMLInputElement>('combobox', { name: 'Profile' })).value).toBe('indoor');
});
