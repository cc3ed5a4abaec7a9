import { NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { toLocalTime } from '../last-seen/local-time.ts';
import { ages, ageText, isAge } from './filter-words.ts';

interface Props {
  label: string;
  /** An age such as `24h`, or a time in RFC 3339. */
  value: string;
  onChange: (value: string) => void;
}

/** An age or a time. */
export function TimeValue({ label, value, onChange }: Props) {
  const isDate = value !== '' && !isAge(value);
  const [asksDate, setAsksDate] = useState(isDate);
  const offered =
    value === '' || asksDate || value in ages
      ? Object.entries(ages)
      : [[value, ageText(value)], ...Object.entries(ages)];
  return (
    <>
      <NativeSelect
        aria-label={label}
        value={asksDate ? 'date' : value}
        data={[
          ...(value === '' ? [{ value: '', label: 'Choose ...' }] : []),
          ...offered.map(([age = '', words = '']) => ({ value: age, label: words })),
          { value: 'date', label: 'A date ...' },
        ]}
        onChange={({ currentTarget: { value: chosen } }) => {
          setAsksDate(chosen === 'date');
          onChange(chosen === 'date' ? '' : chosen);
        }}
      />
      {asksDate && (
        <TextInput
          type="datetime-local"
          aria-label={`Date: ${label}`}
          value={isDate ? toLocalTime(value) : ''}
          onChange={({ currentTarget: { value: local } }) =>
            onChange(local === '' ? '' : new Date(local).toISOString())
          }
        />
      )}
    </>
  );
}
