import { TextInput } from '@mantine/core';
import { useState } from 'react';
import classes from '../../components/form/form.module.css';
import { numberProblem, parseNumber } from '../../components/form/number.ts';
import { type Named, useNamed } from '../../components/form/use-named.ts';
import { megahertz } from './radio-channels.ts';

/** No frequency in MHz is as large, and no channel in Hz as small. */
const leastHertz = 100_000;

/** What the user typed in Hz: 867.1 and 867100000 are the same. */
function hertzOf(typed: string): number | string {
  const value = parseNumber(typed);
  if (typeof value === 'string') return value;
  return Math.round(value < leastHertz ? value * 1e6 : value);
}

/** A frequency that is shown in MHz and sent in Hz. */
export function MegahertzField({ placeholder = '867.1', ...props }: Named & { placeholder?: string }) {
  const { field, labelled } = useNamed<number | string, Named>({
    ...props,
    validate: (value: number | string) => numberProblem(value, 0),
  });
  const [typed, setTyped] = useState('');
  const value = field.value || '';
  const shown = typeof value === 'number' ? megahertz(value) : value;
  return (
    <TextInput
      {...labelled}
      autoComplete="off"
      placeholder={placeholder}
      rightSection={<span aria-hidden>MHz</span>}
      rightSectionProps={{ className: classes.unit ?? '' }}
      rightSectionWidth="calc(3ch + 26px)"
      value={hertzOf(typed) === value ? typed : shown}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        field.onChange(hertzOf(event.currentTarget.value));
      }}
    />
  );
}
