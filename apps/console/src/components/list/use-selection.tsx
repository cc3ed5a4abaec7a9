import { useState } from 'react';
import type { Column } from './cells.tsx';
import classes from './list.module.css';

export interface Selection<Row> {
  /** The chosen rows by key, also those of other pages. */
  chosen: ReadonlyMap<string, Row>;
  /** Boxes to tick, one per row. */
  column: Column<Row, never>;
  /** Takes some of them back, or all. */
  drop: (keys?: readonly string[]) => void;
}

/** Rows of a list that are ticked, whatever page they are on. */
export function useSelection<Row extends { name: string }>(keyOf: (row: Row) => string): Selection<Row> {
  const [chosen, setChosen] = useState<ReadonlyMap<string, Row>>(new Map());

  function toggle(row: Row) {
    const next = new Map(chosen);
    if (!next.delete(keyOf(row))) next.set(keyOf(row), row);
    setChosen(next);
  }

  return {
    chosen,
    drop: (keys) =>
      setChosen((now) => new Map(keys === undefined ? [] : [...now].filter(([key]) => !keys.includes(key)))),
    column: {
      header: 'Select',
      hideHeader: true,
      width: 40,
      // A bare box: Mantine's are ten elements each, and lists hold hundreds of them.
      cell: (row) => (
        <input
          type="checkbox"
          className={classes.tick}
          aria-label={`Select ${row.name}`}
          checked={chosen.has(keyOf(row))}
          onChange={() => toggle(row)}
        />
      ),
    },
  };
}
