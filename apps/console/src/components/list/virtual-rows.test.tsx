import { act, render, screen } from '@testing-library/react';
import { renderToStaticMarkup } from 'react-dom/server';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { useSelection } from './use-selection.tsx';
import { VirtualRows } from './virtual-rows.tsx';

const rows = Array.from({ length: 500 }, (_, index) => ({ name: `row ${index}` }));
const columns = [{ header: 'Name', cell: ({ name }: { name: string }) => name }];

const drawn = () => screen.getAllByRole('row').length;

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

it('renders the visible rows first, without forcing a layout, and the rows around them afterwards', () => {
  const asked = [
    vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get'),
    vi.spyOn(Element.prototype, 'getBoundingClientRect'),
  ];
  render(
    <table>
      <VirtualRows columns={columns} rows={rows} rowKey={({ name }) => name} folds={false} />
    </table>,
  );
  for (const one of asked) expect(one).not.toHaveBeenCalled();
  const first = drawn();
  expect(first).toBeLessThan(30);
  act(() => void vi.advanceTimersByTime(1000));
  expect(drawn()).toBeGreaterThan(first);
  expect(asked[1]).toHaveBeenCalled();
});

it('renders its rows in the first concurrent render, not in a synchronous one after it', () => {
  const table = (
    <table>
      <VirtualRows columns={columns} rows={rows} rowKey={({ name }) => name} folds={false} />
    </table>
  );
  expect(renderToStaticMarkup(table)).toContain('row 10<');
});

it('uses check boxes of a single element, because there are hundreds', () => {
  function Boxes() {
    const lamp = { name: 'lamp' };
    const { columnOf } = useSelection<{ name: string }>(({ name }) => name);
    return columnOf([lamp]).cell(lamp);
  }
  const { container } = render(<Boxes />);
  expect(container.querySelectorAll('*')).toHaveLength(1);
  act(() => screen.getByRole<HTMLInputElement>('checkbox', { name: 'Select lamp' }).click());
  expect(screen.getByRole<HTMLInputElement>('checkbox').checked).toBe(true);
});
