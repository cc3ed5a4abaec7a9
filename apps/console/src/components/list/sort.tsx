import type { OrderBy } from '@hilltop/contract';
import { NativeSelect, UnstyledButton } from '@mantine/core';
import { IconArrowDown, IconArrowsSort, IconArrowUp } from '@tabler/icons-react';
import type { CSSProperties } from 'react';
import type { Column } from './cells.tsx';
import classes from './list.module.css';

/** The current order of a list, and how to change it. */
export interface Sort {
  /** Empty for the default order. */
  orderBy: string;
  /** The field of the default order, which is ascending; undefined when no column shows it. */
  usual: string | undefined;
  /** The fields that the server can sort by; none on older servers. */
  offered: readonly string[];
  set(orderBy: string): void;
}

type Direction = 'ascending' | 'descending' | undefined;

/** The field of the default order: the name column, unless another column is marked as default. */
export function usualOf(columns: readonly Column<never>[]): string | undefined {
  return (columns.find(({ usual }) => usual) ?? columns.find(({ primary }) => primary))?.sort;
}

function directionOf(field: string, { orderBy, usual }: Sort): Direction {
  if (orderBy === field || (orderBy === '' && field === usual)) return 'ascending';
  return orderBy === `-${field}` ? 'descending' : undefined;
}

/** Cycles through ascending, descending and default. */
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
  primary?: boolean | undefined;
  style?: CSSProperties | undefined;
}

/** The header of a sortable column. */
export function SortHeader({ children, field, sort, align, primary, style }: HeaderProps) {
  const direction = directionOf(field, sort);
  const Icon = icons[direction ?? 'none'];
  return (
    <th
      scope="col"
      data-align={align}
      data-primary={primary}
      style={style}
      aria-sort={direction}
      className={classes.sortable}
    >
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

/** The sort control of a phone, where rows are cards and there are no headers. */
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
