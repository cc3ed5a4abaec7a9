import { ChosenFilters } from './chosen-filters.tsx';
import { CountButtons } from './count-buttons.tsx';
import { countFilters, type ListFilters } from './list-filters.ts';

interface Props {
  of: ListFilters;
  page: {
    search: string;
    filter: readonly string[];
    filters: readonly string[];
    set: (change: { filters: string[] }) => void;
  };
  refreshMs: number | undefined;
}

/** Above the rows: the counts by state, and the filters that they do not show. */
export function FilterRows({ of, page, refreshMs }: Props) {
  const { search, filter, filters } = page;
  const shownAbove = countFilters(of.counts);
  const onChange = (next: string[]) => page.set({ filters: next });
  return (
    <>
      <CountButtons of={of.counts} {...{ search, filter, filters, onChange, refreshMs }} />
      <ChosenFilters
        of={of}
        shown={filters.filter((one) => !shownAbove.includes(one))}
        filters={filters}
        onChange={onChange}
      />
    </>
  );
}
