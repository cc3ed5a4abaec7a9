import { Checkbox, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import classes from './filters.module.css';

interface Option {
  value: string;
  word: string;
}

interface Props {
  label: string;
  options: readonly Option[];
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
}

/** Longer lists can be searched. */
const shortList = 8;
/** A search finds the others. */
const mostShown = 100;

/** Any number of options. Chosen ones come first and stay visible while the others are searched. */
export function ChoiceList({ label, options, chosen, onChange }: Props) {
  const [search, setSearch] = useState('');
  const [first] = useState(chosen);
  const sorted = [...options].sort(
    (one, other) => Number(first.includes(other.value)) - Number(first.includes(one.value)),
  );
  const found = sorted.filter(
    ({ value, word }) => chosen.includes(value) || word.toLowerCase().includes(search.trim().toLowerCase()),
  );
  return (
    <>
      {options.length > shortList && (
        <TextInput
          size="xs"
          aria-label={`Search: ${label}`}
          placeholder="Search"
          value={search}
          onChange={({ currentTarget }) => setSearch(currentTarget.value)}
        />
      )}
      <Checkbox.Group value={[...chosen]} onChange={onChange} aria-label={label}>
        <Stack gap={6} className={classes.choices ?? ''}>
          {found.slice(0, mostShown).map(({ value, word }) => (
            <Checkbox key={value} value={value} label={word} />
          ))}
        </Stack>
      </Checkbox.Group>
      {found.length === 0 && <Text size="sm">Nothing found.</Text>}
      {found.length > mostShown && <Text size="sm">{`Search to see ${found.length - mostShown} more.`}</Text>}
    </>
  );
}
