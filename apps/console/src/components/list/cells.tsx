import { useMediaQuery } from '@mantine/hooks';
import { IconChevronDown } from '@tabler/icons-react';
import { type ComponentProps, memo, type ReactNode, useId, useState } from 'react';
import classes from './list.module.css';

/**
 * Where a column stands on the card that a row is on a phone, unless it is the name: on the second line with its header.
 * `aside` beside the name, `plain` on the second line without its header, `cut` likewise in the room that is left, `folded`
 * only on a card that is unfolded.
 */
type OnCard = 'aside' | 'plain' | 'cut' | 'folded';

export interface Column<Row, Field extends string = string> {
  header: string;
  cell: (row: Row) => ReactNode;
  align?: 'right' | 'center';
  /** The name of the row: the title of its card on a phone. */
  primary?: boolean;
  card?: OnCard;
  /** Its header on a card, where the other is too long. */
  short?: string;
  width?: number | string;
  /** What the rows can be sorted by here: a field of theirs that the operation can sort by. */
  sort?: Field;
  /** The list comes in this order unless asked otherwise, where that is not the one of its names. */
  usual?: true;
  /** A column of controls; its header is read to screen readers only. */
  hideHeader?: boolean;
}

/** Whether rows are cards here, and some of what they show is folded away or cut. */
export function useFolding(columns: readonly Column<never>[]): boolean {
  const isPhone = useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false }) ?? false;
  return isPhone && columns.some(({ card }) => card !== undefined && card !== 'aside');
}

interface RowProps<Row> extends ComponentProps<'tr'> {
  columns: readonly Column<Row>[];
  row: Row;
  folds: boolean;
}

/** A row of a table: a card of two lines on a phone, which unfolds to all that the row says. */
export const TableRow = memo(DrawnRow) as typeof DrawnRow;

function DrawnRow<Row>({ columns, row, folds, ...rest }: RowProps<Row>) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  return (
    <tr {...rest} data-open={folds ? isOpen : undefined}>
      {columns.map(({ header, cell, align, primary, card, short, hideHeader }) => (
        <td
          key={header}
          id={folds && primary ? `${id}-name` : undefined}
          data-align={align}
          data-primary={primary || undefined}
          data-card={card}
          data-label={hideHeader ? undefined : (short ?? header)}
        >
          {cell(row)}
        </td>
      ))}
      {folds && (
        <td>
          <button
            type="button"
            id={`${id}-more`}
            className={classes.fold}
            aria-label="More of"
            aria-labelledby={`${id}-more ${id}-name`}
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            <IconChevronDown size={18} aria-hidden />
          </button>
        </td>
      )}
    </tr>
  );
}
