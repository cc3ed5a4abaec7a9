import { Button } from '@mantine/core';
import { IconFilter, IconX } from '@tabler/icons-react';
import { lazy } from 'react';
import { Popup } from '../popup/popup.tsx';
import edges from '../scroll-edges/scroll-edges.module.css';
import { useScrollEdges } from '../scroll-edges/use-scroll-edges.ts';
import { filterWords } from './filter-words.ts';
import classes from './filters.module.css';
import { type KnownFilter, type ListFilters, readFilter, useObjects, withFilter } from './list-filters.ts';

// Loaded on demand: most lists are read, not filtered.
const FilterForm = lazy(() => import('./filter-form.tsx').then((m) => ({ default: m.FilterForm })));

interface Props {
  of: ListFilters;
  /** The filters shown as chips. */
  shown: readonly string[];
  /** All filters of the address. */
  filters: readonly string[];
  onChange: (filters: string[]) => void;
}

/** The filters of a list: a click on one changes it, its cross removes it. */
export function ChosenFilters({ of, shown, filters, onChange }: Props) {
  const row = useScrollEdges<HTMLDivElement>();
  if (shown.length === 0) return null;
  return (
    <div ref={row} role="group" aria-label="Filters" className={`${classes.chips} ${edges.edges}`}>
      {shown.map((text) => (
        <FilterChip key={text} of={of} text={text} filters={filters} onChange={onChange} />
      ))}
      {shown.length > 1 && (
        <Button
          size="compact-sm"
          variant="subtle"
          onClick={() => onChange(filters.filter((one) => !shown.includes(one)))}
        >
          Clear filters
        </Button>
      )}
    </div>
  );
}

function FilterChip({ of, text, filters, onChange }: Omit<Props, 'shown'> & { text: string }) {
  const read = readFilter(of.fields, text);
  const remove = () => onChange(filters.filter((one) => one !== text));
  if ('problem' in read)
    return (
      <span className={classes.chip} data-unknown title={`${text}\n${read.problem}`}>
        <span className={classes.words}>Unknown filter</span>
        <RemoveButton words={`unknown filter ${text}`} onClick={remove} />
      </span>
    );
  return (
    <KnownChip
      of={of}
      read={read}
      onApply={(filter) => onChange(withFilter(filters, filter, text))}
      onRemove={remove}
    />
  );
}

/** A filter in words, with the names of the objects it names. */
export function useFilterWords(of: ListFilters, { field, filter }: KnownFilter): string {
  const { data } = useObjects(of, field);
  return filterWords(field, filter, (id) => data?.result.find((one) => one.id === id)?.name ?? id);
}

interface KnownChipProps {
  of: ListFilters;
  read: KnownFilter;
  onApply: (filter: KnownFilter['filter']) => void;
  onRemove: () => void;
}

function KnownChip({ of, read, onApply, onRemove }: KnownChipProps) {
  const words = useFilterWords(of, read);
  return (
    <span className={classes.chip}>
      <Popup
        label="Change the filter"
        trigger={(trigger) => (
          <button type="button" className={classes.words} title={words} {...trigger}>
            {words}
          </button>
        )}
      >
        {(close) => (
          <FilterForm
            of={of}
            initial={read.filter}
            onApply={(filter) => {
              close();
              onApply(filter);
            }}
          />
        )}
      </Popup>
      <RemoveButton words={words} onClick={onRemove} />
    </span>
  );
}

function RemoveButton({ words, onClick }: { words: string; onClick: () => void }) {
  return (
    <button type="button" className={classes.remove} aria-label={`Remove filter: ${words}`} onClick={onClick}>
      <IconX size={14} aria-hidden />
    </button>
  );
}

/** The button that adds a filter. */
export function FilterButton({ of, filters, onChange }: Omit<Props, 'shown'>) {
  return (
    <Popup
      label="Add a filter"
      trigger={(trigger) => (
        <Button variant="default" leftSection={<IconFilter size={16} />} {...trigger}>
          Filter
        </Button>
      )}
    >
      {(close) => (
        <FilterForm
          of={of}
          onApply={(filter) => {
            close();
            onChange(withFilter(filters, filter));
          }}
        />
      )}
    </Popup>
  );
}
