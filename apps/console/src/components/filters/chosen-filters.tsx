import { Button, Popover } from '@mantine/core';
import { IconFilter, IconX } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
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
  const [isOpen, setOpen] = useState(false);
  const words = useFilterWords(of, read);
  return (
    <span className={classes.chip}>
      <Popover opened={isOpen} onChange={setOpen} position="bottom-start" shadow="md" trapFocus returnFocus>
        <Popover.Target>
          <button type="button" className={classes.words} title={words} onClick={() => setOpen(!isOpen)}>
            {words}
          </button>
        </Popover.Target>
        <Popover.Dropdown aria-label="Change the filter">
          <Suspense>
            <FilterForm
              of={of}
              initial={read.filter}
              onApply={(filter) => {
                setOpen(false);
                onApply(filter);
              }}
            />
          </Suspense>
        </Popover.Dropdown>
      </Popover>
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
  const [isOpen, setOpen] = useState(false);
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-start" shadow="md" trapFocus returnFocus>
      <Popover.Target>
        <Button variant="default" leftSection={<IconFilter size={16} />} onClick={() => setOpen(!isOpen)}>
          Filter
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Add a filter">
        <Suspense>
          <FilterForm
            of={of}
            onApply={(filter) => {
              setOpen(false);
              onChange(withFilter(filters, filter));
            }}
          />
        </Suspense>
      </Popover.Dropdown>
    </Popover>
  );
}
