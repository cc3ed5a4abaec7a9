import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useEffect } from 'react';
import { expect, it } from 'vitest';
import { renderPage } from '../../testing/render.tsx';
import { DataTable } from './data-table.tsx';
import { type Selection, SelectionBar, useSelection } from './use-selection.tsx';

interface Lamp {
  name: string;
}

const page: Lamp[] = ['a', 'b', 'c', 'd'].map((name) => ({ name }));
const all = { search: 'lamp', filter: ['state:is:active'], total: 1284 };
let selection: Selection<Lamp>;

function Page() {
  const own = useSelection<Lamp>(({ name }) => name);
  useEffect(() => {
    selection = own;
  });
  const name = { header: 'Name', primary: true, cell: (row: Lamp) => <a href={`#${row.name}`}>{row.name}</a> };
  return (
    <>
      <DataTable label="Lamps" columns={[own.columnOf(page), name]} rows={page} rowKey={(row) => row.name} />
      <SelectionBar selection={own} rows={page} all={all} actions={<button type="button">Move</button>} />
    </>
  );
}

const ticked = () =>
  screen.getAllByRole<HTMLInputElement>('checkbox', { checked: true }).map((box) => box.getAttribute('aria-label'));
const box = (name: string) => screen.getByRole<HTMLInputElement>('checkbox', { name });

it('selects a range with Shift, and the row that has the focus with x', async () => {
  await renderPage(<Page />);
  const user = userEvent.setup();
  expect(screen.queryByRole('button', { name: 'Move' })).toBeNull();
  await user.click(box('Select a'));
  await user.keyboard('{Shift>}');
  await user.click(box('Select c'));
  await user.keyboard('{/Shift}');
  expect(ticked()).toEqual(['Select a', 'Select b', 'Select c']);
  expect(box('Select all on this page').indeterminate).toBe(true);
  screen.getByRole('link', { name: 'b' }).focus();
  await user.keyboard('x');
  expect(ticked()).toEqual(['Select a', 'Select c']);
  expect(screen.getByText('2 selected')).toBeTruthy();
});

it('selects the page with the box of the header, then all that match, except those deselected again', async () => {
  await renderPage(<Page />);
  const user = userEvent.setup();
  await user.click(box('Select all on this page'));
  expect([...selection.chosen.keys()]).toEqual(['a', 'b', 'c', 'd']);
  expect(screen.getByText(/^All 4 on this page are selected\./)).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Select all 1,284 that match' }));
  expect(screen.getByText('All 1,284 that match are selected.')).toBeTruthy();
  await user.click(box('Select b'));
  expect(selection.count).toBe(1283);
  expect(selection.matching).toEqual({ ...all, except: new Set(['b']) });
  await user.click(screen.getByRole('button', { name: 'Clear the selection' }));
  expect(selection.count).toBe(0);
  expect(screen.queryByRole('region', { name: 'Selection' })).toBeNull();
});
