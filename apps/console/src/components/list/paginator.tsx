import { ActionIcon, NativeSelect } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import classes from './list.module.css';
import { type ListPage, pageSizes } from './use-list-page.ts';

interface Props {
  page: ListPage;
  /** Number of rows on this page. */
  shown: number;
  /** Number of rows on all pages, if known. */
  total?: number;
  /** Whether there is a next page, for lists without a known total. */
  more?: boolean;
}

export function Paginator({ page, shown, total, more = false }: Props) {
  const last = shown === 0 ? 0 : page.offset + shown;
  const isLast = total === undefined ? !more : last >= total;
  return (
    <nav className={classes.paginator} aria-label="Pages">
      <NativeSelect
        size="xs"
        label="Rows per page"
        classNames={{ root: classes.size ?? '', label: classes.sizeLabel ?? '' }}
        data={pageSizes.map(String)}
        value={String(page.size)}
        onChange={(event) => page.set({ size: Number(event.currentTarget.value) })}
      />
      <div className={classes.turn}>
        <span aria-live="polite">
          {shown === 0 ? 0 : page.offset + 1}-{last}
          {total !== undefined && ` of ${total}`}
        </span>
        <ActionIcon
          size="lg"
          aria-label="Previous page"
          disabled={page.page <= 1}
          onClick={() => page.set({ page: page.page - 1 })}
        >
          <IconChevronLeft size={18} />
        </ActionIcon>
        <ActionIcon
          size="lg"
          aria-label="Next page"
          disabled={isLast}
          onClick={() => page.set({ page: page.page + 1 })}
        >
          <IconChevronRight size={18} />
        </ActionIcon>
      </div>
    </nav>
  );
}
