import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { renderPage } from '../../testing/render.tsx';
import { ResourceList } from './resource-list.tsx';
import type { ListPage } from './use-list-page.ts';

const rows = Array.from({ length: 30 }, (_, index) => ({ id: String(index + 1), name: `row ${index + 1}` }));

function Example({ read }: { read: (page: ListPage) => Promise<{ result: typeof rows; totalCount: string }> }) {
  return (
    <ResourceList
      label="Rows"
      search="Search by name"
      query={(page) => ({ queryKey: ['rows', page.limit, page.offset, page.search], queryFn: () => read(page) })}
      rowKey={({ id }) => id}
      columns={[{ header: 'Name', cell: ({ name }) => name, primary: true }]}
      empty={{ title: 'No rows yet', text: 'Rows are what lists are made of.' }}
    />
  );
}

const read = vi.fn(async ({ limit, offset, search }: ListPage) => {
  const found = rows.filter(({ name }) => name.includes(search));
  return { result: found.slice(offset, offset + limit), totalCount: String(found.length) };
});

beforeEach(() => localStorage.clear());

describe('ResourceList', () => {
  it('keeps its page in the address', async () => {
    const { router } = await renderPage(<Example read={read} />, '/rows?page=2');
    expect(await screen.findByText('row 11')).toBeTruthy();
    expect(screen.getByText('11-20 of 30')).toBeTruthy();
    await userEvent.click(screen.getByRole('button', { name: 'Next page' }));
    expect(await screen.findByText('row 30')).toBeTruthy();
    expect(router.state.location.search).toEqual({ page: '3' });
    expect(screen.getByRole('button', { name: 'Next page' })).toHaveProperty('disabled', true);
  });

  it('remembers the number of rows for the next list', async () => {
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

  it('says what an empty list is for', async () => {
    await renderPage(<Example read={async () => ({ result: [], totalCount: '0' })} />, '/rows');
    expect(await screen.findByText('No rows yet')).toBeTruthy();
    expect(screen.queryByRole('table')).toBeNull();
  });

  it('says what went wrong and tries again', async () => {
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
