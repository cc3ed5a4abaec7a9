import { Button, Group } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { EmptyState } from '../states/empty-state.tsx';
import { useFilterWords } from './chosen-filters.tsx';
import { type KnownFilter, type ListFilters, readFilter } from './list-filters.ts';

interface Props {
  /** The resources of the list, in the plural. */
  noun: string;
  of: ListFilters | undefined;
  search: string;
  filters: readonly string[];
  onChange: (change: { search?: string; filters?: string[] }) => void;
}

/** A list without rows that match: what it was narrowed by, each to be taken off. */
export function NothingMatches({ noun, of, search, filters, onChange }: Props) {
  const known = of ? filters.map((text) => ({ text, read: readFilter(of.fields, text) })) : [];
  return (
    <EmptyState
      title={`No ${noun} match`}
      action={
        <Group gap="xs" justify="center">
          {search !== '' && known.length > 0 && (
            <TakeOff words={`"${search}"`} onClick={() => onChange({ search: '' })} />
          )}
          {known.map(
            ({ text, read }) =>
              of &&
              !('problem' in read) && (
                <FilterOff
                  key={text}
                  of={of}
                  read={read}
                  onClick={() => onChange({ filters: filters.filter((one) => one !== text) })}
                />
              ),
          )}
          <Button variant="default" onClick={() => onChange({ search: '', filters: [] })}>
            Show all
          </Button>
        </Group>
      }
    >
      {known.length > 0 ? 'Remove a filter, or show all.' : `No match for "${search}".`}
    </EmptyState>
  );
}

function FilterOff({ of, read, onClick }: { of: ListFilters; read: KnownFilter; onClick: () => void }) {
  return <TakeOff words={useFilterWords(of, read)} onClick={onClick} />;
}

function TakeOff({ words, onClick }: { words: string; onClick: () => void }) {
  return (
    <Button variant="light" rightSection={<IconX size={14} aria-hidden />} title={`Remove ${words}`} onClick={onClick}>
      {words}
    </Button>
  );
}
