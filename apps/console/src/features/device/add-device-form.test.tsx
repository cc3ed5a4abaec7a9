import type { DeviceProfileListItem, GlobalSearchResult } from '@hilltop/contract';
import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it, vi } from 'vitest';
import { ApiError } from '../../api/client.ts';
import { renderPage } from '../../testing/render.tsx';
import { AddDevice } from './add-device.tsx';

const devEUI = '24e124136b502217';
const code = `LW:D0:24E124C0002A0001:${devEUI.toUpperCase()}:01E61234:OAABB:S77`;
const key = '5572404c696e6b4c6f52613230313823';

const { server } = vi.hoisted(() => ({
  server: {
    devices: [] as Partial<GlobalSearchResult>[],
    /** The search answers after it. */
    found: Promise.resolve(),
    profiles: [] as DeviceProfileListItem[],
    made: [] as object[],
    joins: true,
    add: async (_request: object): Promise<object> => ({}),
  },
}));
vi.mock('../../session/session.tsx', () => ({ useMay: () => () => true }));
vi.mock('./device-waiting.tsx', () => ({ DeviceWaiting: ({ devEUI: eui }: { devEUI: string }) => `Waits for ${eui}` }));
vi.mock('../../api/client.ts', async (original) => ({
  ...(await original<object>()),
  api: {
    firstSteps: { addDevice: (request: object) => server.add(request) },
    library: {
      createProfile: async (request: object) => {
        server.made.push(request);
        return { id: 'c' };
      },
    },
    deviceProfile: {
      get: async () => ({ deviceProfile: { id: 'c', tags: { library: 'x' }, supportsJoin: server.joins } }),
      update: async (request: object) => server.made.push(request),
    },
  },
}));
vi.mock('../../api/queries.ts', () => ({
  perform: (call: Promise<unknown>) => call,
  query: (resource: string, operation: string, request: { id?: string; vendorID?: number }) => ({
    queryKey: [resource, operation, request],
    queryFn: async () => {
      if (resource === 'internal') await server.found;
      return {
        deviceProfile: {
          totalCount: '2',
          result: server.profiles,
          deviceProfile: {
            supportsJoin: true,
            macVersion: '1.0.3',
            name: server.profiles.find(({ id }) => id === request.id)?.name ?? 'Acme T1',
          },
        },
        application: { result: [{ id: '7', name: 'weather' }] },
        internal: { result: server.devices },
        networkServer: { result: [{ id: '1', name: 'EU868' }] },
        library: request.vendorID ? { totalCount: '0', result: [] } : { totalCount: '1', result: [model] },
      }[resource];
    },
  }),
}));

const model = { id: 'm', vendor: 'Acme', name: 'T1', source: 'CATALOGUE', description: '', regions: [] };
const profiles = [
  { id: 'a', name: 'EU868 OTAA class A 1.0.3' },
  { id: 'b', name: 'AM307', vendorID: '01E6', profileID: '1234' },
] as DeviceProfileListItem[];

beforeEach(() => {
  localStorage.clear();
  server.devices = [];
  server.found = Promise.resolve();
  server.made = [];
  server.joins = true;
  server.profiles = profiles;
  server.add = async () => ({ applicationID: '7' });
});

async function open() {
  const view = await renderPage(<AddDevice />, '/organizations/1/devices/add?application=7');
  await screen.findByRole('heading', { name: 'Scan or type' });
  const user = userEvent.setup();
  const field = (name: string) => screen.getByRole<HTMLInputElement>('textbox', { name });
  const paste = async (name: string, text: string) => {
    await user.clear(field(name));
    await user.click(field(name));
    await user.paste(text);
  };
  const press = (name: string) => user.click(screen.getByRole('button', { name }));
  return { ...view, user, field, paste, press };
}

const digits = (input: HTMLInputElement) => input.value.replaceAll(' ', '').toLowerCase();
const current = () => screen.getByRole('list', { name: 'Steps' }).querySelector('[aria-current]')?.textContent;

it('takes everything from the code, finds the model, asks for the key and keeps tags for the next device', async () => {
  const requests: object[] = [];
  server.add = async (request) => {
    requests.push(request);
    return { applicationID: '7' };
  };
  const scrolledTo = vi.spyOn(Element.prototype, 'scrollIntoView');
  const { paste, press, field, user, router } = await open();
  await paste('Code or label text', code);
  expect(scrolledTo.mock.contexts.map((result) => (result as Element).textContent)).toEqual([
    expect.stringMatching(/JoinEUI.*Device EUI/),
  ]);
  const read = screen.getByRole('region', { name: 'Read from the label' });
  for (const fact of ['24e124c0002a0001', '01e6 1234', 'AABB', '77']) expect(read.textContent).toContain(fact);
  expect(digits(field('Device EUI'))).toBe(devEUI);
  await press('Next');
  expect(current()).toBe('2Model');
  expect(document.activeElement).toBe(screen.getByRole('heading', { name: 'Model' }));
  expect(screen.getByRole<HTMLInputElement>('combobox', { name: 'Device-profile' }).value).toBe('AM307');
  expect(screen.getByText(/Found by the code on the device/)).toBeTruthy();
  await press('Next');
  expect(screen.getByText(/The scanned code has no key/)).toBeTruthy();
  await paste('Device name', 'meter');
  await paste('Application key', key);
  await press('Tags (2) and position');
  await user.type(field('Latitude'), '52.1');
  await press('Add device');
  expect(screen.getByText('Longitude is required.')).toBeTruthy();
  await user.type(field('Longitude'), '5');
  await press('Add device');
  expect(await screen.findByText(`Waits for ${devEUI}`)).toBeTruthy();
  expect(requests).toEqual([
    expect.objectContaining({
      devEUI,
      name: 'meter',
      nwkKey: key,
      deviceProfileID: 'b',
      applicationID: '7',
      tags: { joinEUI: '24e124c0002a0001', serialNumber: '77' },
      location: expect.objectContaining({ latitude: 52.1, longitude: 5 }),
    }),
  ]);
  expect(JSON.stringify(requests)).not.toContain('AABB');

  await router.navigate({ to: '.', search: { application: '7' } as never });
  await screen.findByRole('heading', { name: 'Scan or type' });
  await paste('Device EUI', '24e124136b502218');
  await press('Next');
  expect(screen.getByRole<HTMLInputElement>('combobox', { name: 'Device-profile' }).value).toBe('AM307');
  await press('Next');
  expect(screen.getByRole('button', { name: 'Tags (0) and position' })).toBeTruthy();
});

it('asks which of several EUIs is the one of the device, and takes the key of the label', async () => {
  const { paste, press, field, user } = await open();
  await paste('Code or label text', `24E124C0002A0001 ${devEUI} ${key}`);
  expect(digits(field('Device EUI'))).toBe('');
  await user.click(screen.getByRole('radio', { name: devEUI }));
  expect(digits(field('Device EUI'))).toBe(devEUI);
  expect(screen.getByRole('region', { name: 'Read from the label' }).textContent).toContain('24e124c0002a0001');
  await press('Next');
  await press('Next');
  await press('Reveal');
  expect(digits(field('Application key'))).toBe(key);
  await press('Back');
  expect(current()).toBe('2Model');
});

it('explains codes that do not help, and codes with a wrong checksum', async () => {
  const { paste, press } = await open();
  await paste('Code or label text', 'https://example.com/am307');
  expect(screen.getByText(/This code is for the vendor's app/)).toBeTruthy();
  await paste('Code or label text', 'WIFI:S:guest;P:secret;;');
  expect(screen.getByText(/This text has no EUI/)).toBeTruthy();
  await press('Next');
  expect(screen.getByText('Device EUI is required.')).toBeTruthy();
  await paste('Code or label text', 'LW:D0:1122');
  expect(screen.getByText(/This code is not complete/)).toBeTruthy();
  await paste('Code or label text', `${code}:C0000`);
  expect(screen.getByText(/The checksum of this code is wrong/)).toBeTruthy();
});

it('reverses a reversed EUI with one click', async () => {
  const { paste, press, field } = await open();
  await paste('Device EUI', '1722506b1324e124');
  await press('Reverse its bytes');
  expect(digits(field('Device EUI'))).toBe('24e124136b502217');
  expect(screen.queryByRole('button', { name: 'Reverse its bytes' })).toBeNull();
});

it('names the device that has the EUI already, and does not go on', async () => {
  server.devices = [{ deviceDevEUI: devEUI, deviceName: 'old', organizationID: '3', applicationID: '9' }];
  const { paste, press } = await open();
  await paste('Device EUI', devEUI);
  expect(await screen.findByText('Device old has this EUI already.')).toBeTruthy();
  const link = screen.getByRole('link', { name: 'Open the device' });
  expect(link.getAttribute('href')).toBe(`/organizations/3/applications/9/devices/${devEUI}`);
  await press('Next');
  expect(screen.getByText('Another device has this EUI already.')).toBeTruthy();
  expect(current()).toBe('1Scan or type');
});

it('waits for the check of the EUI when a hand scanner sends Enter at once', async () => {
  server.devices = [{ deviceDevEUI: devEUI, deviceName: 'old', organizationID: '3', applicationID: '9' }];
  const { paste, user } = await open();
  const answered = Promise.withResolvers<void>();
  server.found = answered.promise;
  await paste('Device EUI', devEUI);
  await user.keyboard('{Enter}');
  expect(current()).toBe('1Scan or type');
  answered.resolve();
  expect(await screen.findByText('Another device has this EUI already.')).toBeTruthy();
  expect(current()).toBe('1Scan or type');
});

it('returns to the step of a field that the server refuses', async () => {
  server.add = async () => {
    throw new ApiError('Another device has this EUI already.', 6, 409, [
      {
        '@type': 'type.googleapis.com/google.rpc.BadRequest',
        fieldViolations: [{ field: 'devEUI', description: 'Taken.' }],
      },
    ] as never);
  };
  const { paste, press } = await open();
  await paste('Device EUI', devEUI);
  await press('Next');
  await press('Next');
  await paste('Device name', 'meter');
  await paste('Application key', key);
  await press('Add device');
  await waitFor(() => expect(current()).toBe('1Scan or type'));
  expect(screen.getByText(/Taken\./)).toBeTruthy();
});

it('preselects the only device-profile or that of the standard set, and no other', async () => {
  const chosen = async (given: DeviceProfileListItem[]) => {
    server.profiles = given;
    const { paste, press, unmount } = await open();
    await paste('Device EUI', devEUI);
    await press('Next');
    const { value } = screen.getByRole<HTMLInputElement>('combobox', { name: 'Device-profile' });
    unmount();
    return value;
  };
  const [standard, ...others] = profiles;
  expect(await chosen(others)).toBe('AM307');
  expect(await chosen([standard!, ...others])).toBe('EU868 OTAA class A 1.0.3');
  expect(await chosen([{ id: 'd', name: 'Door contact' } as DeviceProfileListItem, ...others])).toBe('');
});

it('creates the device-profile of the chosen model with "Next", and names it in the last step', async () => {
  const { paste, press, user } = await open();
  const profile = () => screen.getByRole<HTMLInputElement>('combobox', { name: 'Device-profile' }).value;
  await paste('Code or label text', code.replace('01E61234', '0BAD0001'));
  await press('Next');
  expect(profile()).toBe('');
  expect(screen.getByText(/No device-profile of this organization has the code on the device yet/)).toBeTruthy();
  expect(await screen.findByText(/The device library has no model with this code/)).toBeTruthy();
  await user.click(await screen.findByRole('button', { name: /Acme T1/ }));
  expect(profile()).toBe('New: Acme T1');
  expect(server.made).toEqual([]);
  await press('Next');
  expect(current()).toBe('3Name and key');
  expect(await screen.findByText('Device-profile: Acme T1')).toBeTruthy();
  expect(server.made).toEqual([
    expect.objectContaining({ networkServerID: '1', modelID: 'm', name: 'Acme T1' }),
    {
      deviceProfile: {
        id: 'c',
        tags: { library: 'x', vendorID: '0bad', profileID: '0001' },
        supportsJoin: true,
      },
    },
  ]);
});

it('does not go on with a model whose devices do not join', async () => {
  server.joins = false;
  const { paste, press, user } = await open();
  await paste('Device EUI', devEUI);
  await press('Next');
  await press('Choose from the device library');
  await user.click(await screen.findByRole('button', { name: /Acme T1/ }));
  await press('Next');
  expect(await screen.findByText(/Devices of this model do not join/)).toBeTruthy();
  expect(current()).toBe('2Model');
});

it('keeps the device-profile for the next device with the same code', async () => {
  const { paste, press, router, user } = await open();
  const unknown = code.replace('01E61234', '0BAD0001');
  await paste('Code or label text', unknown);
  await press('Next');
  await user.click(screen.getByRole('combobox', { name: 'Device-profile' }));
  await user.click(await screen.findByRole('option', { name: 'AM307' }));
  await press('Next');
  await paste('Device name', 'meter');
  await paste('Application key', key);
  await press('Add device');
  await screen.findByText(`Waits for ${devEUI}`);
  await router.navigate({ to: '.', search: { application: '7' } as never });
  await screen.findByRole('heading', { name: 'Scan or type' });
  await paste('Code or label text', unknown.replace('502217', '502218'));
  await press('Next');
  expect(screen.getByRole<HTMLInputElement>('combobox', { name: 'Device-profile' }).value).toBe('AM307');
});
