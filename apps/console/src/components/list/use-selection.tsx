import { Button } from '@mantine/core';
import { useState } from 'react';
import type { Column } from './cells.tsx';
import classes from './list.module.css';

export interface Selection<Row> {
  /** The selected rows by key, including those of other pages. */
  chosen: ReadonlyMap<string, Row>;
  /** A column of check boxes, one per row. */
  column: Column<Row, never>;
  /** Deselects the given rows, or all. */
  drop: (keys?: readonly string[]) => void;
}

/** The selected rows of a list, across pages. */
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
      // A native check box: Mantine's has ten elements, and lists have hundreds of rows.
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

/** How many rows are selected, on this page and on others, and how to deselect them. */
export function SelectionBar<Row>({ selection: { chosen, drop } }: { selection: Selection<Row> }) {
  if (chosen.size === 0) return null;
  return (
    <div className={classes.selected}>
      {chosen.size} selected
      <Button size="compact-sm" variant="subtle" aria-label="Clear the selection" onClick={() => drop()}>
        Clear
      </Button>
    </div>
  );
}
