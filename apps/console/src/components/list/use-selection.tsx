import { Button } from '@mantine/core';
import { type MouseEvent, type ReactNode, useRef, useState } from 'react';
import type { Column } from './cells.tsx';
import classes from './list.module.css';

/** All rows that match the search and the filters of a list. */
export interface MatchingRows {
  search: string;
  filter: readonly string[];
  total: number;
}

export interface Selection<Row> {
  /** The rows that were selected one by one, by key, including those of other pages. */
  chosen: ReadonlyMap<string, Row>;
  /** All that match, except those that were deselected. */
  matching: (MatchingRows & { except: ReadonlySet<string> }) | undefined;
  count: number;
  isChosen: (row: Row) => boolean;
  /** Deselects the given rows, or all. */
  drop: (keys?: readonly string[]) => void;
  chooseMatching: (rows: MatchingRows) => void;
  choose: (rows: readonly Row[], isSelected: boolean) => void;
  /** A column of check boxes for the rows of a page. */
  columnOf: (rows: readonly Row[]) => Column<Row, never>;
}

interface Chosen<Row> {
  rows: ReadonlyMap<string, Row>;
  matching: Selection<Row>['matching'];
}

/** The selected rows of a list, across pages. */
export function useSelection<Row extends { name: string }>(keyOf: (row: Row) => string): Selection<Row> {
  const none: Chosen<Row> = { rows: new Map(), matching: undefined };
  const [{ rows: chosen, matching }, setChosen] = useState(none);
  /** The last row whose box was changed: the start of a range. */
  const last = useRef<string>(undefined);
  const isChosen = (row: Row) => (matching ? !matching.except.has(keyOf(row)) : chosen.has(keyOf(row)));

  function choose(rows: readonly Row[], isSelected: boolean) {
    setChosen((now) => {
      if (now.matching) {
        const except = new Set(now.matching.except);
        for (const row of rows) if (!isSelected) except.add(keyOf(row));
        for (const row of rows) if (isSelected) except.delete(keyOf(row));
        return { ...now, matching: { ...now.matching, except } };
      }
      const next = new Map(now.rows);
      for (const row of rows) if (isSelected) next.set(keyOf(row), row);
      for (const row of rows) if (!isSelected) next.delete(keyOf(row));
      return { ...now, rows: next };
    });
  }

  /** With Shift, all rows between the last one and this one change as well. */
  function toggle(row: Row, page: readonly Row[], event: MouseEvent) {
    const from = page.findIndex((one) => keyOf(one) === last.current);
    const to = page.indexOf(row);
    last.current = keyOf(row);
    const range = event.shiftKey && from >= 0 ? page.slice(Math.min(from, to), Math.max(from, to) + 1) : [row];
    choose(range, !isChosen(row));
  }

  return {
    chosen,
    matching,
    count: matching ? matching.total - matching.except.size : chosen.size,
    isChosen,
    choose,
    chooseMatching: (rows) => setChosen({ rows: new Map(), matching: { ...rows, except: new Set() } }),
    drop: (keys) =>
      setChosen((now) =>
        keys === undefined ? none : { ...now, rows: new Map([...now.rows].filter(([key]) => !keys.includes(key))) },
      ),
    columnOf: (page) => ({
      header: 'Select',
      hideHeader: true,
      headerCell: <PageBox rows={page} isChosen={isChosen} onChange={(isSelected) => choose(page, isSelected)} />,
      width: 40,
      // A native check box: Mantine's has ten elements, and lists have hundreds of rows.
      cell: (row) => (
        <input
          type="checkbox"
          className={classes.tick}
          aria-label={`Select ${row.name}`}
          checked={isChosen(row)}
          // Only a click knows whether Shift is held; keys cause clicks as well.
          onClick={(event) => toggle(row, page, event)}
          onChange={() => undefined}
        />
      ),
    }),
  };
}

/** Selects and deselects all rows of the page. */
function PageBox<Row>({
  rows,
  isChosen,
  onChange,
}: {
  rows: readonly Row[];
  isChosen: (row: Row) => boolean;
  onChange: (isSelected: boolean) => void;
}) {
  const number = rows.filter(isChosen).length;
  const isSome = number > 0 && number < rows.length;
  return (
    <input
      type="checkbox"
      className={classes.tick}
      aria-label="Select all on this page"
      ref={(box) => {
        if (box) box.indeterminate = isSome;
      }}
      checked={rows.length > 0 && number === rows.length}
      onChange={() => onChange(number < rows.length)}
    />
  );
}

interface BarProps<Row> {
  selection: Selection<Row>;
  /** The rows of this page. */
  rows: readonly Row[];
  /** All rows that match, if they can be selected at once. */
  all?: MatchingRows | undefined;
  /** What can be done with the selected rows. */
  actions?: ReactNode;
}

const formatted = (number: number) => number.toLocaleString('en');

/** How many rows are selected, on this page and on others, and what can be done with them. */
export function SelectionBar<Row>({ selection, rows, all, actions }: BarProps<Row>) {
  const { matching, count, drop, choose, chooseMatching } = selection;
  if (count === 0) return null;
  const isWholePage = rows.length > 0 && rows.every(selection.isChosen);
  const offersAll = all && !matching && isWholePage && all.total > count;
  return (
    <section className={classes.selected} aria-label="Selection">
      {matching && `All ${formatted(count)} that match are selected.`}
      {!matching && !(offersAll && count === rows.length) && `${formatted(count)} selected`}
      {!isWholePage && (
        <Button className={classes.onCards ?? ''} size="compact-sm" variant="subtle" onClick={() => choose(rows, true)}>
          Select all {formatted(rows.length)} on this page
        </Button>
      )}
      {offersAll && (
        <span>
          All {formatted(rows.length)} on this page are selected.{' '}
          <Button size="compact-sm" variant="subtle" onClick={() => chooseMatching(all)}>
            Select all {formatted(all.total)} that match
          </Button>
        </span>
      )}
      <Button size="compact-sm" variant="subtle" aria-label="Clear the selection" onClick={() => drop()}>
        Clear
      </Button>
      {actions && <span className={classes.actions}>{actions}</span>}
    </section>
  );
}
