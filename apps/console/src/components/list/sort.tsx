import type { OrderBy } from '@hilltop/contract';
import { NativeSelect, UnstyledButton } from '@mantine/core';
import { IconArrowDown, IconArrowsSort, IconArrowUp } from '@tabler/icons-react';
import type { Column } from './cells.tsx';
import classes from './list.module.css';

/** How a list is sorted, and how to sort it otherwise. */
export interface Sort {
  /** Empty for the usual order. */
  orderBy: string;
  /** The field of the usual order, which is ascending; undefined where no column shows it. */
  usual: string | undefined;
  /** All that the server can sort by; on older ones nothing. */
  offered: readonly string[];
  set(orderBy: string): void;
}

type Direction = 'ascending' | 'descending' | undefined;

/** What the usual order goes by: the names of the rows, unless a column says that it is the one. */
export function usualOf(columns: readonly Column<never>[]): string | undefined {
  return (columns.find(({ usual }) => usual) ?? columns.find(({ primary }) => primary))?.sort;
}

function directionOf(field: string, { orderBy, usual }: Sort): Direction {
  if (orderBy === field || (orderBy === '' && field === usual)) return 'ascending';
  return orderBy === `-${field}` ? 'descending' : undefined;
}

/** Ascending, descending, the usual order, and again. */
function nextOrder(field: string, direction: Direction): OrderBy<string> {
  if (direction === 'descending') return '';
  return direction === 'ascending' ? `-${field}` : field;
}

const icons = { ascending: IconArrowUp, descending: IconArrowDown, none: IconArrowsSort };

interface HeaderProps {
  children: string;
  field: string;
  sort: Sort;
  align?: 'right' | 'center' | undefined;
  width?: number | string | undefined;
}

/** The header of a column that one can sort by. */
export function SortHeader({ children, field, sort, align, width }: HeaderProps) {
  const direction = directionOf(field, sort);
  const Icon = icons[direction ?? 'none'];
  return (
    <th scope="col" data-align={align} style={{ width }} aria-sort={direction} className={classes.sortable}>
      <UnstyledButton
        className={classes.sort}
        data-sorted={direction !== undefined || undefined}
        onClick={() => sort.set(nextOrder(field, direction))}
      >
        {children}
        <Icon size={14} aria-hidden />
      </UnstyledButton>
    </th>
  );
}

/** The same for a phone, where rows are cards and have no header. */
export function SortSelect({ columns, sort }: { columns: readonly Column<never>[]; sort: Sort }) {
  const fields = columns.flatMap(({ header, sort: field }) =>
    field !== undefined && sort.offered.includes(field) ? [{ header, field }] : [],
  );
  if (fields.length === 0) return null;
  return (
    <NativeSelect
      size="xs"
      label="Sort by"
      leftSection={<IconArrowsSort size={18} className={classes.sortIcon} aria-hidden />}
      classNames={{ root: `${classes.size} ${classes.sortSelect}`, label: classes.sizeLabel ?? '' }}
      data={[
        ...(fields.some(({ field }) => field === sort.usual) ? [] : [{ value: '', label: 'Usual order' }]),
        ...fields.flatMap(({ header, field }) => [
          { value: field === sort.usual ? '' : field, label: `${header}, ascending` },
          { value: `-${field}`, label: `${header}, descending` },
        ]),
      ]}
      value={sort.orderBy === sort.usual ? '' : sort.orderBy}
      onChange={(event) => sort.set(event.currentTarget.value)}
    />
  );
}
