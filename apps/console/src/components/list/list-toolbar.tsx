import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { FilterButton } from '../filters/chosen-filters.tsx';
import type { ListFilters } from '../filters/list-filters.ts';
import type { Column } from './cells.tsx';
import { ColumnsMenu } from './columns-menu.tsx';
import classes from './list.module.css';
import { listShortcuts } from './shortcuts.ts';
import { type Sort, SortSelect } from './sort.tsx';
import type { ChosenColumns, OptionalColumns } from './use-columns.ts';
import type { ListPage } from './use-list-page.ts';

interface Props<Row, Field extends string> {
  label: string;
  page: ListPage;
  /** The placeholder of the search box; false without one. */
  canSearch: string | false | undefined;
  filters: ListFilters | undefined;
  columns: Column<Row, Field>[];
  optional: OptionalColumns<Row, Field> | undefined;
  chosen: ChosenColumns<Row, Field>;
  sort: Sort;
  /** The menu of saved views. */
  views: ReactNode;
  toolbar: ReactNode;
}

/** Search, filter, columns, order and the tools of a list. */
export function ListToolbar<Row, Field extends string>(props: Props<Row, Field>) {
  const { label, page, canSearch, filters, columns, optional, chosen, sort, views, toolbar } = props;
  const isEmpty = !canSearch && !toolbar && !filters && !optional;
  return (
    <div className={classes.toolbar} data-phone-only={isEmpty || undefined}>
      {canSearch && (
        <SearchBox
          key={label}
          placeholder={canSearch}
          value={page.search}
          onChange={(text) => page.set({ search: text })}
        />
      )}
      {(filters || optional) && (
        <div className={classes.finders}>
          {filters && (
            <FilterButton of={filters} filters={page.filters} onChange={(next) => page.set({ filters: next })} />
          )}
          {optional && filters && (
            <ColumnsMenu
              offered={optional.columns}
              tagKeys={filters.tagKeys}
              chosen={chosen.chosen}
              onChoose={chosen.choose}
            />
          )}
          {views}
        </div>
      )}
      <SortSelect columns={columns} sort={sort} />
      {toolbar && <div className={classes.tools}>{toolbar}</div>}
    </div>
  );
}

function SearchBox({
  placeholder,
  value,
  onChange,
}: {
  placeholder: string;
  value: string;
  onChange: (text: string) => void;
}) {
  // The typed text until it is stored in the URL.
  const [draft, setDraft] = useState<string | null>(null);
  const send = useDebouncedCallback((text: string) => {
    onChange(text.trim());
    setDraft(null);
  }, 250);
  return (
    <TextInput
      type="search"
      className={classes.search ?? ''}
      aria-label={placeholder}
      placeholder={placeholder}
      leftSection={<IconSearch size={16} />}
      rightSection={(draft ?? value) === '' && <kbd className={classes.slash}>{listShortcuts.search.shown}</kbd>}
      rightSectionPointerEvents="none"
      value={draft ?? value}
      onChange={(event) => {
        setDraft(event.currentTarget.value);
        send(event.currentTarget.value);
      }}
    />
  );
}
