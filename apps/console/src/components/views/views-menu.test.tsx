import type { View } from '@hilltop/contract';
import { act, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import { valuesOf } from '../../search-parameters.ts';
import { renderPage } from '../../testing/render.tsx';
import { useSavedViews, viewQueryOf } from './saved-views.ts';
import { ViewsMenu } from './views-menu.tsx';

const view = vi.hoisted(() => ({ list: vi.fn(), create: vi.fn(), update: vi.fn(), delete: vi.fn() }));
vi.mock(import('../../api/client.ts'), async (original) => {
  const client = await original();
  return { ...client, api: { view } as unknown as typeof client.api };
});
afterEach(() => vi.clearAllMocks());

const of = { list: 'DEVICES', organizationID: '7' } as const;
const silent: View = {
  ...of,
  id: 'v1',
  name: 'Silent on the roof',
  query: 'filter=state:is:inactive&filter=tag.site:is:roof&sort=-lastSeenAt',
  isStart: false,
};

function Example() {
  const saved = useSavedViews(of);
  return (
    <>
      <ViewsMenu of={of} noun="devices" saved={saved} columns={['dr']} />
      {saved.isOpening && <p>opening</p>}
    </>
  );
}

async function open(address: string, ...views: View[]) {
  view.list.mockResolvedValue({ result: views });
  const { router } = await renderPage(<Example />, address);
  const parameters = () => router.state.location.search as Record<string, string>;
  return { parameters, filters: () => valuesOf(parameters()['filter']) };
}

const choose = async (name: string) => {
  await userEvent.click(screen.getByRole('button', { name: /^(Views|Silent)/ }));
  await userEvent.click(await screen.findByRole('menuitem', { name }));
};

it('saves the present list with its columns as a view, and opens it', async () => {
  view.create.mockResolvedValue({ id: 'v2' });
  const { parameters } = await open('/devices?page=3&size=50&filter=tag.site:is:roof&search=lamp');
  await choose('Save as a new view');
  await userEvent.type(await screen.findByRole('textbox', { name: 'Name' }), 'Lamps');
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  const query = 'column=dr&filter=tag.site:is:roof&search=lamp';
  await waitFor(() => expect(view.create).toHaveBeenCalledWith({ ...of, name: 'Lamps', isStart: false, query }));
  await waitFor(() =>
    expect(parameters()).toEqual({ view: 'v2', column: 'dr', filter: 'tag.site:is:roof', search: 'lamp' }),
  );
});

it('opens a view, and the whole list again', async () => {
  const { parameters, filters } = await open('/devices?search=lamp', silent);
  await userEvent.click(screen.getByRole('button', { name: 'Views' }));
  await userEvent.click(await screen.findByRole('menuitemradio', { name: 'Silent on the roof' }));
  await waitFor(() => expect(filters()).toEqual(['state:is:inactive', 'tag.site:is:roof']));
  expect(parameters()['sort']).toBe('-lastSeenAt');
  await userEvent.click(await screen.findByRole('button', { name: 'Silent on the roof' }));
  await userEvent.click(screen.getByRole('menuitemradio', { name: 'All devices' }));
  await waitFor(() => expect(parameters()).toEqual({}));
});

it('opens a list without parameters with its start view, and the whole list on request', async () => {
  const { parameters, filters } = await open('/devices', { ...silent, isStart: true });
  expect(screen.getByText('opening')).toBeTruthy();
  await waitFor(() => expect(filters()).toHaveLength(2));
  expect(screen.queryByText('opening')).toBeNull();
  await userEvent.click(await screen.findByRole('button', { name: 'Silent on the roof' }));
  await userEvent.click(screen.getByRole('menuitemradio', { name: 'All devices' }));
  await waitFor(() => expect(parameters()).toEqual({ view: 'none' }));
});

it('shows the whole list when the filter is removed with which it was opened', async () => {
  const start = { ...silent, isStart: true };
  view.list.mockResolvedValue({ result: [start] });
  const { router } = await renderPage(<Example />, '/devices?filter=battery:lt:20');
  await userEvent.click(await screen.findByRole('button', { name: 'Views' }));
  await screen.findByRole('menuitemradio', { name: 'Silent on the roof' });
  await act(() => router.navigate({ to: '.', search: {} as never }));
  expect(screen.queryByText('opening')).toBeNull();
  expect(router.state.location.search).toEqual({});
});

it('saves the changes of a view, renames it and deletes it', async () => {
  const { parameters } = await open(`/devices?view=v1&${silent.query}&column=dr`, silent);
  view.update.mockResolvedValue({});
  await screen.findByRole('button', { name: 'Silent on the roof' });
  await choose('Save changes of "Silent on the roof"');
  const query = `column=dr&${silent.query}`;
  const { id, name, isStart } = silent;
  await waitFor(() => expect(view.update).toHaveBeenCalledWith({ id, name, isStart, query }));

  await choose('Edit "Silent on the roof"');
  await userEvent.type(await screen.findByRole('textbox', { name: 'Name' }), 's');
  await userEvent.click(screen.getByRole('checkbox', { name: 'Open the list with this view' }));
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() =>
    expect(view.update).toHaveBeenLastCalledWith({ id, name: `${name}s`, isStart: true, query: silent.query }),
  );

  view.delete.mockResolvedValue({});
  await choose('Edit "Silent on the roof"');
  await userEvent.click(await screen.findByRole('button', { name: 'Delete' }));
  await waitFor(() => expect(view.delete).toHaveBeenCalledWith({ id }));
  await waitFor(() => expect(parameters()).toEqual({}));
});

it('shows why a view cannot be saved', async () => {
  view.create.mockRejectedValue(new Error('You have 50 views of this list. Delete one first.'));
  await open('/devices');
  await choose('Save as a new view');
  await userEvent.type(await screen.findByRole('textbox', { name: 'Name' }), 'Lamps');
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('You have 50 views of this list. Delete one first.')).toBeTruthy();
});

it('stores the same view whatever the order of the parameters', () => {
  expect(viewQueryOf({ sort: 'name', filter: 'a\0b', page: '2', view: 'v1' })).toBe('filter=a&filter=b&sort=name');
  expect(viewQueryOf({ filter: 'a\0b', sort: 'name', size: '50' })).toBe('filter=a&filter=b&sort=name');
});
