import type { LibraryModelListItem } from '@hilltop/contract';
import { Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { query } from '../../api/queries.ts';
import { EmptyState } from '../states/empty-state.tsx';
import { ErrorState } from '../states/states.tsx';
import classes from './library.module.css';
import { vectorsText } from './vectors-text.ts';

const shown = 20;
const pauseMs = 200;

interface Props {
  onSelect: (model: LibraryModelListItem) => void;
  /** The id of the selected model. */
  selected?: string | undefined;
  /** Only models for this region. */
  region?: string;
  /** Only models with these IDs of the LoRa Alliance and of the vendor, as printed on QR codes. */
  vendorID?: number;
  profileID?: number;
}

/** Searches the device library by vendor and model. */
export function ModelSearch({ onSelect, selected, region = '', vendorID = 0, profileID = 0 }: Props) {
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed.trim(), pauseMs);
  const found = useQuery({
    ...query('library', 'listModels', { search, region, vendorID, profileID, limit: shown, offset: 0 }),
    placeholderData: keepPreviousData,
  });
  const { data, error } = found;
  return (
    <Stack gap="xs">
      <TextInput
        label="Search the device library"
        placeholder="Vendor or model"
        leftSection={<IconSearch size={16} aria-hidden />}
        value={typed}
        maxLength={256}
        autoComplete="off"
        onChange={({ currentTarget: { value } }) => setTyped(value)}
      />
      {error && !data ? (
        <ErrorState error={error} retry={() => void found.refetch()} />
      ) : data ? (
        <Models {...data} onSelect={onSelect} selected={selected} />
      ) : (
        <Skeleton height={200} />
      )}
    </Stack>
  );
}

function Models({
  totalCount,
  result,
  onSelect,
  selected,
}: { totalCount: string; result: readonly LibraryModelListItem[] } & Pick<Props, 'onSelect' | 'selected'>) {
  const more = Number(totalCount) - result.length;
  return (
    <>
      {result.length === 0 ? (
        <EmptyState title="Not in the library">
          Try fewer words. A global administrator can install or update the device library.
        </EmptyState>
      ) : (
        <ul className={classes.models} aria-label="Models">
          {result.map((model) => (
            <li key={model.id}>
              <button
                type="button"
                className={classes.model}
                aria-pressed={model.id === selected}
                onClick={() => onSelect(model)}
              >
                <span className={classes.title}>
                  {model.vendor} {model.name}
                </span>
                <span className={classes.details}>{detailsOf(model)}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      <Text size="xs" c="dimmed" role="status">
        {more > 0 ? `${result.length} of ${totalCount} models. Type more to narrow the search.` : countText(totalCount)}
      </Text>
    </>
  );
}

const countText = (count: string) => (count === '1' ? '1 model' : `${count} models`);

function detailsOf({ source, description, regions, ...counts }: LibraryModelListItem): string {
  const parts = [
    source === 'INSTALLATION' ? 'Of this installation' : '',
    regions.length === 0 ? 'All regions' : regions.join(', '),
    vectorsText(counts),
    description,
  ];
  return parts.filter((part) => part !== '').join(' · ');
}
