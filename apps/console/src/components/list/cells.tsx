import { useMediaQuery } from '@mantine/hooks';
import { IconChevronDown } from '@tabler/icons-react';
import { type ComponentProps, type CSSProperties, memo, type ReactNode, useId, useState } from 'react';
import classes from './list.module.css';

/**
 * Where a cell is shown on the card that a row becomes on a phone, except for the name. By default: on the second line
 * with its header. `aside`: beside the name. `plain`: on the second line without its header. `cut`: like `plain`,
 * truncated to the remaining width. `folded`: only on an unfolded card.
 */
type OnCard = 'aside' | 'plain' | 'cut' | 'folded';

export interface Column<Row, Field extends string = string> {
  /** Distinguishes columns with the same header. */
  id?: string;
  header: string;
  cell: (row: Row) => ReactNode;
  align?: 'right' | 'center';
  /** The name of the row, which is the title of its card on a phone. */
  primary?: boolean;
  card?: OnCard;
  /** A shorter header for cards. */
  short?: string;
  /** At least this wide, in pixels, and no wider than its content. */
  width?: number;
  /** A column that shares the remaining width is at least this wide, in pixels. */
  minWidth?: number;
  /** As wide as its content, like columns with a width or an alignment. All others share the remaining width. */
  fit?: true | undefined;
  /** The share of the remaining width relative to other columns; 1 by default. */
  share?: number;
  /** Cells of several lines; all others are one line that ends with an ellipsis. */
  wraps?: true;
  /** Only shown where the server can include this in the rows (`include` of the request). */
  include?: string;
  /** The field that this column sorts by, if the operation can sort by it. */
  sort?: Field;
  /** Marks the column of the default order, unless that is the name column. */
  usual?: true;
  /** A column of controls; its header is for screen readers only. */
  hideHeader?: boolean;
  /** A control in place of the hidden header. */
  headerCell?: ReactNode;
}

const isFlexible = ({ fit, width, align }: Column<never>) => !fit && width === undefined && align === undefined;

/** The styles of the headers, which decide the widths of the columns. */
export function widthsOf(columns: readonly Column<never>[]): CSSProperties[] {
  const shares = columns.map((column) => (isFlexible(column) ? (column.share ?? 1) : 0));
  const all = shares.reduce((sum, share) => sum + share, 0);
  return columns.map(({ width: minWidth, ...column }, at) => {
    if (shares[at]! === 0) return minWidth === undefined ? {} : { minWidth };
    const width = `${(100 * shares[at]!) / all}%`;
    return column.minWidth === undefined ? { width } : { width, minWidth: column.minWidth };
  });
}

/** Whether rows are cards here, and whether some cells are folded or truncated. */
export function useFolding(columns: readonly Column<never>[]): boolean {
  const isPhone = useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false }) ?? false;
  return isPhone && columns.some(({ card }) => card !== undefined && card !== 'aside');
}

interface RowProps<Row> extends ComponentProps<'tr'> {
  columns: readonly Column<Row>[];
  row: Row;
  folds: boolean;
}

/** A table row: on a phone a card of two lines that unfolds to all cells. */
export const TableRow = memo(DrawnRow) as typeof DrawnRow;

function DrawnRow<Row>({ columns, row, folds, ...rest }: RowProps<Row>) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  return (
    <tr {...rest} data-open={folds ? isOpen : undefined}>
      {columns.map((column) => {
        const { header, id: columnID = header, cell, align, primary, card, short, hideHeader, wraps } = column;
        return (
          <td
            key={columnID}
            id={folds && primary ? `${id}-name` : undefined}
            data-align={align}
            data-flexible={isFlexible(column) || undefined}
            data-wraps={wraps}
            data-primary={primary || undefined}
            data-card={card}
            data-label={hideHeader ? undefined : (short ?? header)}
          >
            {cell(row)}
          </td>
        );
      })}
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
