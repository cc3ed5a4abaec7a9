import type { DeviceListItem } from '@hilltop/contract';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import { SelectionBar, useSelection } from '../../components/list/use-selection.tsx';
import { renderPage } from '../../testing/render.tsx';
import { SelectedDevices } from './add-to-group.tsx';

const { addDevice, successToast, ApiError } = vi.hoisted(() => ({
  addDevice: vi.fn(async (_request: { multicastGroupID: string; devEUI: string }) => ({})),
  successToast: vi.fn(),
  ApiError: class extends Error {
    code: number;
    constructor(code: number, message: string) {
      super(message);
      this.code = code;
    }
  },
}));
vi.mock('../../api/client.ts', () => ({ ApiError, api: { multicastGroup: { addDevice } } }));
vi.mock('../../api/queries.ts', () => ({
  perform: async (call: Promise<unknown>) => call,
  query: (...key: unknown[]) => ({
    queryKey: key,
    queryFn: async () => ({ totalCount: '1', result: [{ id: 'g', name: 'street lights' }] }),
  }),
}));
vi.mock('../../components/toast/toast.ts', async (importOriginal) => ({
  ...(await importOriginal<object>()),
  toast: { success: successToast },
}));

const devices = ['a', 'b', 'c'].map((devEUI) => ({ devEUI, name: `lamp ${devEUI}` }) as DeviceListItem);

function Page() {
  const selection = useSelection<DeviceListItem>(({ devEUI }) => devEUI);
  return (
    <>
      <SelectedDevices selection={selection} />
      <SelectionBar selection={selection} rows={devices} />
      {devices.map((device) => (
        <div key={device.devEUI}>{selection.columnOf(devices).cell(device)}</div>
      ))}
    </>
  );
}

async function addAll() {
  await renderPage(<Page />);
  const user = userEvent.setup();
  const menu = screen.getByRole<HTMLButtonElement>('button', { name: /^Selected devices/ });
  expect(menu.disabled).toBe(true);
  for (const box of screen.getAllByRole('checkbox')) await user.click(box);
  await user.click(menu);
  await user.click(screen.getByRole('menuitem', { name: 'Add to multicast group' }));
  const dialog = await screen.findByRole('dialog');
  await user.click(await within(dialog).findByRole('combobox'));
  await user.click(await screen.findByRole('option', { name: 'street lights', hidden: true }));
  await user.click(within(dialog).getByRole('button', { name: 'Add' }));
  return dialog;
}

const ticked = () => screen.getAllByRole<HTMLInputElement>('checkbox', { hidden: true }).filter((box) => box.checked);

describe('adding the selected devices to a multicast-group', () => {
  it('says once how many devices were added and how many already were members, and deselects them', async () => {
    addDevice.mockRejectedValueOnce(new ApiError(6, 'In it.'));
    await addAll();
    await waitFor(() => expect(successToast).toHaveBeenCalledOnce());
    expect(successToast).toHaveBeenCalledWith('2 devices have been added to multicast-group, 1 was in it already');
    expect(addDevice.mock.calls.map(([{ devEUI }]) => devEUI)).toEqual(['a', 'b', 'c']);
    expect(ticked()).toEqual([]);
    successToast.mockClear();
    addDevice.mockClear();
  });

  it('keeps failed devices selected and shows the error', async () => {
    addDevice.mockRejectedValueOnce(new ApiError(9, 'Another application.'));
    const dialog = await addAll();
    await within(dialog).findByText(/Another application/);
    expect(within(dialog).getByText('lamp a')).toBeDefined();
    expect(ticked().map((box) => box.getAttribute('aria-label'))).toEqual(['Select lamp a']);
    expect(successToast).toHaveBeenCalledWith('2 devices have been added to multicast-group');
  });
});

it('shows how many devices are selected and deselects them', async () => {
  await renderPage(<Page />);
  expect(screen.queryByText(/selected$/)).toBeNull();
  const [first, , third] = screen.getAllByRole('checkbox');
  await userEvent.click(first!);
  await userEvent.click(third!);
  expect(screen.getByText('2 selected')).toBeDefined();
  await userEvent.click(screen.getByRole('button', { name: 'Clear the selection' }));
  expect(screen.queryByText('2 selected')).toBeNull();
  expect(ticked()).toEqual([]);
});
