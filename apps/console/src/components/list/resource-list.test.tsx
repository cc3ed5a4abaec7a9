import { act, cleanup, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { ReactNode } from 'react';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { valuesOf } from '../../search-parameters.ts';
import { renderPage } from '../../testing/render.tsx';
import type { ListFilters } from '../filters/list-filters.ts';
import { ResourceList } from './resource-list.tsx';
import type { ListPage } from './use-list-page.ts';

const rows = Array.from({ length: 30 }, (_, index) => ({ id: String(index + 1), name: `row ${index + 1}` }));

const filters: ListFilters = {
  noun: 'rows',
  fields: {
    length: { label: 'Length', kind: 'choice', choices: { long: 'Long', short: 'Short' } },
    tag: { label: 'Tag', kind: 'text', isKeyed: true, isOptional: true },
    profile: { label: 'Profile', kind: 'id', resource: 'deviceProfile' },
    seen: { label: 'Last seen', kind: 'time' },
  },
  objects: {
    deviceProfile: {
      queryKey: ['profiles'],
      queryFn: async () => ({ result: [{ id: '7', name: 'thermometer' }] }),
    },
  },
  tagKeys: { queryKey: ['tag keys'], queryFn: async () => ['site', 'floor'] },
  counts: {
    buttons: [
      { name: 'all', word: 'All' },
      { name: 'long', word: 'Long', filter: 'length:is:long' },
      { name: 'broken', word: 'Broken', filter: 'length:is:short' },
    ],
    read: (search, filter) => ({
      queryKey: ['counts', search, filter],
      queryFn: async () => counted(search, filter),
    }),
  },
};

const asked = vi.fn((_include: string[]) => {});

/** The filters of the address. */
const filtersIn = (router: { state: { location: { search: unknown } } }) =>
  valuesOf((router.state.location.search as Record<string, string>)['filter']);

const counted = vi.fn(async (_search: string, _filter: string[]) => ({ all: 1284, long: 21, broken: 0 }));

interface ExampleProps {
  read: (page: ListPage) => Promise<{ result: typeof rows; totalCount: string }>;
  /** The fields that the server can sort by. */
  offered?: readonly string[] | Promise<readonly string[]>;
  /** What the server can include in rows. */
  included?: readonly string[];
  /** The parameters that the server knows. */
  accepted?: readonly string[];
  toolbar?: ReactNode;
  isFiltered?: boolean;
}

function Example({
  read,
  offered = ['id', '-id', 'name', '-name'],
  included = ['counts', 'tags'],
  accepted = ['search', 'filter'],
  ...rest
}: ExampleProps) {
  return (
    <ResourceList
      {...rest}
      label="Rows"
      search="Search by name"
      filters={filters}
      query={(page, include) => {
        asked(include);
        return {
          queryKey: ['rows', 'list', page.limit, page.offset, page.search, page.orderBy, page.filter],
          queryFn: () => read(page),
          choices: async (parameter) => (await { orderBy: offered, include: included }[parameter]) ?? [],
          accepts: async (parameter) => accepted.includes(parameter),
        };
      }}
      optional={{
        list: 'rows',
        tagsOf: () => ({ site: 'roof' }),
        columns: [{ id: 'twice', header: 'Twice', include: 'counts', cell: ({ name }) => `${name} ${name}` }],
      }}
      rowKey={({ id }) => id}
      columns={[
        { header: 'ID', cell: ({ id }) => id, sort: 'id' },
        { header: 'Name', cell: ({ name }) => <a href="#row">{name}</a>, primary: true, sort: 'name' },
        { header: 'Length', card: 'folded', cell: ({ name }) => `${name.length} letters` },
        { header: 'Uses', include: 'counts', align: 'right', cell: () => '7 uses' },
      ]}
      empty={{ title: 'No rows yet', text: 'Rows are what lists are made of.' }}
    />
  );
}

const read = vi.fn(async ({ limit, offset, search, orderBy, filter }: ListPage) => {
  const isLong = filter.includes('length:is:long');
  const found = rows.filter(({ name }) => name.includes(search) && (!isLong || name.length > 5));
  if (orderBy === '-id') found.reverse();
  return { result: found.slice(offset, offset + limit), totalCount: String(found.length) };
});

beforeEach(() => localStorage.clear());

describe('ResourceList', () => {
  it('stores its page in the URL', async () => {
    const { router } = await renderPage(<Example read={read} />, '/rows?page=2');
    expect(await screen.findByText('row 11')).toBeTruthy();
    expect(screen.getByText('11-20 of 30')).toBeTruthy();
    await userEvent.click(screen.getByRole('button', { name: 'Next page' }));
    expect(await screen.findByText('row 30')).toBeTruthy();
    expect(router.state.location.search).toEqual({ page: '3' });
    expect(screen.getByRole('button', { name: 'Next page' })).toHaveProperty('disabled', true);
  });

  it('renders its rows in slices, so that the page stays responsive', async () => {
    // Testing Library makes React render synchronously; a browser does not.
    const { IS_REACT_ACT_ENVIRONMENT: before } = globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean };
    onTestFinished(() => void Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: before }));
    const turns: number[] = [];
    let turn = 0;
    const Slow = () => {
      if (turns.length === 0) setImmediate(() => turn++);
      turns.push(turn);
      for (const until = performance.now() + 6; performance.now() < until; );
      return 'slow';
    };
    const answered = Promise.withResolvers<{ result: typeof rows; totalCount: string }>();
    await renderPage(
      <ResourceList
        label="Rows"
        query={() => ({ queryKey: ['slow'], queryFn: () => answered.promise })}
        rowKey={({ id }) => id}
        columns={[{ header: 'Name', cell: () => <Slow /> }]}
        empty={{ title: 'No rows yet', text: '' }}
      />,
      '/rows',
    );
    Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: false });
    answered.resolve({ result: rows.slice(0, 10), totalCount: '10' });
    await vi.waitFor(() => expect(turns.length).toBeGreaterThanOrEqual(10));
    expect(turns[0]).toBe(0);
    expect(turns[9]).toBe(1);
    await vi.waitFor(() => expect(screen.getAllByText('slow')).toHaveLength(10));
  });

  it('keeps the filter controls when they match nothing', async () => {
    const nothing = async () => ({ result: [], totalCount: '0' });
    await renderPage(
      <Example read={nothing} toolbar={<button type="button">Only red ones</button>} isFiltered />,
      '/rows',
    );
    expect(await screen.findByText('No rows yet')).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Only red ones' })).toBeTruthy();
  });

  it('goes to the last page when the list has become shorter', async () => {
    const { router } = await renderPage(<Example read={read} />, '/rows?page=9&search=row');
    expect(await screen.findByText('row 30')).toBeTruthy();
    expect(router.state.location.search).toEqual({ page: '3', search: 'row' });
    expect(router.history.length).toBe(1);
  });

  it('stays on a known page when the user goes back to it from a shorter list', async () => {
    const { router } = await renderPage(<Example read={read} />, '/rows?page=3');
    expect(await screen.findByText('row 30')).toBeTruthy();
    await act(() => router.navigate({ to: '/rows', search: { search: 'row 7' } as never }));
    expect(await screen.findByText('1-1 of 1')).toBeTruthy();
    await act(async () => router.history.back());
    expect(await screen.findByText('21-30 of 30')).toBeTruthy();
    expect(router.state.location.search).toEqual({ page: '3' });
  });

  it('keeps its search box in place when a search without matches is cleared', async () => {
    await renderPage(<Example read={read} />, '/rows');
    expect(await screen.findByText('row 1')).toBeTruthy();
    const box = screen.getByPlaceholderText('Search by name');
    await userEvent.type(box, 'zzz');
    expect(await screen.findByText('No match for "zzz".')).toBeTruthy();
    await userEvent.clear(box);
    expect(await screen.findByText('row 1')).toBeTruthy();
    expect(document.activeElement).toBe(box);
  });

  it('offers to show all where nothing matches', async () => {
    const { router } = await renderPage(<Example read={read} />, '/rows?search=zzz&size=25');
    await userEvent.click(await screen.findByRole('button', { name: 'Show all' }));
    expect(await screen.findByText('1-25 of 30')).toBeTruthy();
    expect(router.state.location.search).toEqual({ size: '25' });
  });

  it('remembers the page size for the next list', async () => {
    await renderPage(<Example read={read} />, '/rows');
    await userEvent.selectOptions(await screen.findByLabelText('Rows per page'), '25');
    expect(await screen.findByText('row 25')).toBeTruthy();
    expect(localStorage.getItem('rowsPerPage')).toBe('25');
  });

  it('goes back to the first page when the search changes', async () => {
    const { router } = await renderPage(<Example read={read} />, '/rows?page=3');
    await userEvent.type(await screen.findByPlaceholderText('Search by name'), 'row 2');
    await waitFor(() => expect(router.state.location.search).toEqual({ search: 'row 2' }));
    expect(await screen.findByText('1-10 of 11')).toBeTruthy();
  });

  it('sorts ascending, descending and by default with its headers, from the first page', async () => {
    const { router } = await renderPage(<Example read={read} />, '/rows?page=2&search=row');
    const header = await screen.findByRole('columnheader', { name: 'ID' });
    const button = within(header).getByRole('button', { name: 'ID' });
    expect(header.getAttribute('aria-sort')).toBeNull();

    await userEvent.click(button);
    await waitFor(() => expect(header.getAttribute('aria-sort')).toBe('ascending'));
    expect(router.state.location.search).toEqual({ search: 'row', sort: 'id' });

    button.focus();
    await userEvent.keyboard('{Enter}');
    await waitFor(() => expect(header.getAttribute('aria-sort')).toBe('descending'));
    expect(router.state.location.search).toEqual({ search: 'row', sort: '-id' });
    expect(await screen.findByText('row 30')).toBeTruthy();
    expect(document.activeElement).toBe(button);

    await userEvent.keyboard(' ');
    await waitFor(() => expect(header.getAttribute('aria-sort')).toBeNull());
    expect(router.state.location.search).toEqual({ search: 'row' });
    expect(screen.getByRole('columnheader', { name: 'Length' }).querySelector('button')).toBeNull();
  });

  it('sorts with a select box where there are no headers', async () => {
    const { router } = await renderPage(<Example read={read} />, '/rows?page=3&sort=name');
    const box = await screen.findByLabelText('Sort by');
    expect(box).toHaveProperty('value', '');
    expect(
      within(box)
        .getAllByRole('option')
        .map(({ textContent }) => textContent),
    ).toEqual(['ID, ascending', 'ID, descending', 'Name, ascending', 'Name, descending']);
    await userEvent.selectOptions(box, 'ID, descending');
    expect(await screen.findByText('row 30')).toBeTruthy();
    expect(router.state.location.search).toEqual({ sort: '-id' });
  });

  it('marks its default order, which a click reverses', async () => {
    const { router } = await renderPage(<Example read={read} />, '/rows');
    const header = await screen.findByRole('columnheader', { name: 'Name' });
    expect(header.getAttribute('aria-sort')).toBe('ascending');
    await userEvent.click(within(header).getByRole('button'));
    await waitFor(() => expect(header.getAttribute('aria-sort')).toBe('descending'));
    expect(router.state.location.search).toEqual({ sort: '-name' });
    await userEvent.click(within(header).getByRole('button'));
    await waitFor(() => expect(router.state.location.search).toEqual({}));
  });

  it('counts its rows by state, and shows only those of a state on request', async () => {
    const { router } = await renderPage(<Example read={read} />, '/rows?page=2&filter=tag.site:is:roof');
    expect(await screen.findByText('row 11')).toBeTruthy();
    const states = within(await screen.findByRole('group', { name: 'Show' }));
    expect((await states.findAllByRole('button')).map(({ textContent }) => textContent)).toEqual([
      'All 1,284',
      'Long 21',
      'Broken 0',
    ]);
    await userEvent.click(states.getByRole('button', { name: 'Long 21' }));
    expect(await screen.findByText('row 10')).toBeTruthy();
    await waitFor(() => expect(screen.queryByText('row 1')).toBeNull());
    expect(filtersIn(router)).toEqual(['length:is:long', 'tag.site:is:roof']);
    expect(states.getByRole('button', { name: 'Long 21' }).getAttribute('aria-pressed')).toBe('true');
    await userEvent.click(states.getByRole('button', { name: 'Broken 0' }));
    await waitFor(() => expect(filtersIn(router)).toEqual(['length:is:short', 'tag.site:is:roof']));
    // What is counted does not depend on the state that is shown.
    expect(counted.mock.calls.every(([, filter]) => filter.join() === 'tag.site:is:roof')).toBe(true);
    await userEvent.click(states.getByRole('button', { name: 'All 1,284' }));
    await waitFor(() => expect(filtersIn(router)).toEqual(['tag.site:is:roof']));
  });

  it('shows each filter of the URL in words, with names in place of IDs, and removes it', async () => {
    const { router } = await renderPage(
      <Example read={read} />,
      '/rows?filter=tag.site:not:roof|cellar&filter=seen:before:24h&filter=profile:is:7',
    );
    const chips = within(await screen.findByRole('group', { name: 'Filters' }));
    expect(chips.getByRole('button', { name: 'Tag site is not roof or cellar' })).toBeTruthy();
    expect(chips.getByRole('button', { name: 'Last seen more than 24 hours ago' })).toBeTruthy();
    expect(await chips.findByRole('button', { name: 'Profile is thermometer' })).toBeTruthy();
    await userEvent.click(chips.getByRole('button', { name: 'Remove filter: Last seen more than 24 hours ago' }));
    await waitFor(() => expect(filtersIn(router)).toEqual(['tag.site:not:roof|cellar', 'profile:is:7']));
    await userEvent.click(chips.getByRole('button', { name: 'Clear filters' }));
    await waitFor(() => expect(router.state.location.search).toEqual({}));
  });

  it('shows a filter that it does not know, and does not send it', async () => {
    const { router } = await renderPage(<Example read={read} />, '/rows?filter=nonsense&filter=tag.site:is:roof');
    expect(await screen.findByText('row 1')).toBeTruthy();
    expect(screen.getByText('Unknown filter')).toBeTruthy();
    expect(read.mock.lastCall?.[0].filter).toEqual(['tag.site:is:roof']);
    await userEvent.click(screen.getByRole('button', { name: 'Remove filter: unknown filter nonsense' }));
    await waitFor(() => expect(filtersIn(router)).toEqual(['tag.site:is:roof']));
  });

  it('adds a filter of a tag: field, name, condition, value', async () => {
    const { router } = await renderPage(<Example read={read} />, '/rows?page=2');
    await userEvent.click(await screen.findByRole('button', { name: 'Filter' }));
    await userEvent.click(await screen.findByRole('button', { name: 'Tag' }));
    expect(document.querySelectorAll('datalist option')).toHaveLength(2);
    await userEvent.type(screen.getByRole('combobox', { name: 'Name of the tag' }), 'site');
    await userEvent.selectOptions(screen.getByLabelText('Condition'), 'contains');
    await userEvent.type(screen.getByRole('textbox', { name: 'Tag site' }), 'a:b|roof\\');
    await userEvent.click(screen.getByRole('button', { name: 'Apply' }));
    expect(screen.getByText('The filter ends with a backslash. Write \\\\ for a backslash.')).toBeTruthy();
    await userEvent.type(screen.getByRole('textbox', { name: 'Tag site' }), '\\');
    await userEvent.click(screen.getByRole('button', { name: 'Apply' }));
    await waitFor(() => expect(filtersIn(router)).toEqual(['tag.site:has:a:b|roof\\\\']));
    expect(screen.getByRole('button', { name: 'Tag site contains a:b or roof\\' })).toBeTruthy();
  });

  it('changes a filter in its place with a click on it', async () => {
    const { router } = await renderPage(<Example read={read} />, '/rows?filter=profile:is:9&filter=seen:before:24h');
    await userEvent.click(await screen.findByRole('button', { name: 'Profile is 9' }));
    await userEvent.click(await screen.findByRole('checkbox', { name: 'thermometer' }));
    await userEvent.click(screen.getByRole('button', { name: 'Apply' }));
    await waitFor(() => expect(filtersIn(router)).toEqual(['profile:is:9|7', 'seen:before:24h']));
  });

  it('has no filters on a server that does not know them', async () => {
    await renderPage(<Example read={read} accepted={['search']} />, '/rows');
    expect(await screen.findByText('row 1')).toBeTruthy();
    await waitFor(() => expect(screen.queryByRole('button', { name: 'Filter' })).toBeNull());
    expect(screen.queryByRole('group', { name: 'Show' })).toBeNull();
  });

  it('shows its filters and its order before the server has described the operation', async () => {
    await renderPage(<Example read={read} offered={new Promise<readonly string[]>(() => {})} />, '/rows');
    expect(screen.getByRole('button', { name: 'Filter' })).toBeTruthy();
    expect(screen.getByLabelText('Sort by')).toBeTruthy();
  });

  it('names what narrows a list without rows, and takes it off', async () => {
    const none = async () => ({ result: [], totalCount: '0' });
    const { router } = await renderPage(<Example read={none} />, '/rows?filter=length:is:long&search=zzz');
    expect(await screen.findByText('No rows match')).toBeTruthy();
    await userEvent.click(screen.getByTitle('Remove Length is Long'));
    await waitFor(() => expect(router.state.location.search).toEqual({ search: 'zzz' }));
    expect(await screen.findByText('No match for "zzz".')).toBeTruthy();
  });

  it('adds columns, in the URL and for the next visit', async () => {
    const { router, unmount } = await renderPage(<Example read={read} />, '/rows?page=2');
    await userEvent.click(await screen.findByRole('button', { name: 'Columns' }));
    await userEvent.click(await screen.findByRole('checkbox', { name: 'site' }));
    await userEvent.click(await screen.findByRole('checkbox', { name: 'Twice' }));
    const headers = () => screen.getAllByRole('columnheader').map(({ textContent }) => textContent);
    await waitFor(() => expect(headers()).toEqual(['ID', 'Name', 'Length', 'Uses', 'site', 'Twice']));
    expect(screen.getAllByText('row 11 row 11')).toHaveLength(1);
    expect(valuesOf((router.state.location.search as Record<string, string>)['column'])).toEqual(['tag.site', 'twice']);
    expect(asked.mock.lastCall).toEqual([['tags', 'counts']]);
    unmount();
    await renderPage(<Example read={read} />, '/rows?column=twice');
    expect(await screen.findByRole('columnheader', { name: 'Twice' })).toBeTruthy();
    expect(screen.queryByRole('columnheader', { name: 'site' })).toBeNull();
    cleanup();
    await renderPage(<Example read={read} />, '/rows');
    expect(await screen.findByRole('columnheader', { name: 'site' })).toBeTruthy();
  });

  for (const sort of ['nonsense', '--id', 'toString', 'length', '-']) {
    it(`takes no notice of ?sort=${sort}`, async () => {
      await renderPage(<Example read={read} />, `/rows?sort=${sort}`);
      expect(await screen.findByText('row 1')).toBeTruthy();
      expect(read.mock.lastCall?.[0].orderBy).toBe('');
    });
  }

  it('has no sort controls on a server that cannot sort', async () => {
    await renderPage(<Example read={read} offered={[]} />, '/rows');
    expect(await screen.findByText('row 1')).toBeTruthy();
    expect(screen.getByRole('columnheader', { name: 'ID' }).querySelector('button')).toBeNull();
    expect(screen.queryByLabelText('Sort by')).toBeNull();
  });

  it('hides the columns and the search that an older server does not offer', async () => {
    await renderPage(<Example read={read} included={[]} accepted={[]} />, '/rows');
    expect(await screen.findByText('row 1')).toBeTruthy();
    await waitFor(() => expect(screen.queryByRole('columnheader', { name: 'Uses' })).toBeNull());
    await waitFor(() => expect(screen.queryByRole('searchbox')).toBeNull());
  });

  it('shows the columns that the server fills', async () => {
    await renderPage(<Example read={read} />, '/rows');
    expect(await screen.findByRole('columnheader', { name: 'Uses' })).toBeTruthy();
    expect(screen.getAllByText('7 uses')).toHaveLength(10);
  });

  it('is searched with a slash, and its rows are opened with arrow keys and Enter', async () => {
    await renderPage(<Example read={read} />, '/rows');
    const first = await screen.findByRole('link', { name: 'row 1' });
    await userEvent.keyboard('/');
    const box = screen.getByRole('searchbox');
    expect(document.activeElement).toBe(box);
    await userEvent.keyboard('/');
    expect(box).toHaveProperty('value', '/');
    await userEvent.clear(box);
    await userEvent.keyboard('{ArrowDown}');
    await waitFor(() => expect(document.activeElement).toBe(first));
    await userEvent.keyboard('{ArrowDown}{ArrowDown}{ArrowUp}');
    expect(document.activeElement).toBe(screen.getByRole('link', { name: 'row 2' }));
    const opened = vi.fn((event: Event) => event.preventDefault());
    document.activeElement?.addEventListener('click', opened);
    await userEvent.keyboard('{Enter}');
    expect(opened).toHaveBeenCalled();
  });

  it('moves from the page to its first row with the down arrow, and no further than its last row', async () => {
    await renderPage(<Example read={read} />, '/rows?page=3');
    expect(await screen.findByText('row 30')).toBeTruthy();
    await userEvent.keyboard('{ArrowDown}');
    expect(document.activeElement?.textContent).toBe('row 21');
    for (let row = 0; row < 12; row++) await userEvent.keyboard('{ArrowDown}');
    expect(document.activeElement?.textContent).toBe('row 30');
  });

  it('shows the whole text of a cell that is cut, on hover and while its row has the focus', async () => {
    await renderPage(<Example read={read} />, '/rows');
    const cell = (await screen.findByText('row 2')).closest('td')!;
    Object.defineProperty(cell, 'scrollWidth', { value: 300 });
    const shown = () => document.querySelector('body > [aria-hidden]')?.textContent;
    await userEvent.hover(screen.getByText('row 1'));
    expect(shown()).toBeUndefined();
    await userEvent.hover(screen.getByText('row 2'));
    expect(shown()).toBe('row 2');
    await userEvent.unhover(screen.getByRole('table'));
    await userEvent.keyboard('{ArrowDown}{ArrowDown}');
    expect(shown()).toBe('row 2');
    await userEvent.keyboard('{Escape}');
    expect(shown()).toBeUndefined();
  });

  it('folds the cards of a phone, each with a button of its own', async () => {
    const before = globalThis.matchMedia;
    vi.stubGlobal('matchMedia', (query: string) =>
      Object.assign(before(query), { matches: query.includes('max-width') }),
    );
    onTestFinished(() => void vi.stubGlobal('matchMedia', before));
    await renderPage(<Example read={read} />, '/rows');
    const more = await screen.findByRole('button', { name: 'More of row 2' });
    expect(more.closest('tr')?.dataset['open']).toBe('false');
    await userEvent.click(more);
    expect(more.getAttribute('aria-expanded')).toBe('true');
    expect(screen.getAllByRole('row').filter(({ dataset }) => dataset['open'] === 'true')).toHaveLength(1);
  });

  it('explains an empty list', async () => {
    await renderPage(<Example read={async () => ({ result: [], totalCount: '0' })} />, '/rows');
    expect(await screen.findByText('No rows yet')).toBeTruthy();
    expect(screen.queryByRole('table')).toBeNull();
  });

  it('shows an error and tries again', async () => {
    let failures = 1;
    const flaky = async (page: ListPage) => {
      if (failures-- > 0) throw new Error('The line is dead.');
      return read(page);
    };
    await renderPage(<Example read={flaky} />, '/rows');
    expect(await screen.findByText('The line is dead.')).toBeTruthy();
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await screen.findByText('row 1')).toBeTruthy();
  });
});
