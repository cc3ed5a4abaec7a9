import { Select, Stack, TextInput } from '@mantine/core';
import { useId } from 'react';

const dayMs = 24 * 60 * 60 * 1000;

/** When a key expires: after a number of days (0: never), or at the end of a day such as `2027-01-31`. */
export type ExpiryValue = number | string;

const choices = [
  { value: '0', label: 'Never' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In 1 year' },
  { value: 'date', label: 'On a date' },
];

/** The time to send; null: never. Days count from the moment of the call. */
export function expiryTime(value: ExpiryValue): string | null {
  if (typeof value === 'string') return new Date(`${value}T23:59:59`).toISOString();
  return value > 0 ? new Date(Date.now() + value * dayMs).toISOString() : null;
}

/** The day of an expiry in the time zone of the browser. */
export function dayOf(at: string): string {
  const time = new Date(at);
  const part = (number: number) => String(number).padStart(2, '0');
  return `${time.getFullYear()}-${part(time.getMonth() + 1)}-${part(time.getDate())}`;
}

/** What is wrong with a choice; null when nothing is. */
export function expiryProblem(value: ExpiryValue): string | null {
  if (typeof value === 'number') return null;
  if (value === '') return 'Choose a date.';
  return Date.parse(`${value}T23:59:59`) > Date.now() ? null : 'This date is in the past.';
}

interface Props {
  value: ExpiryValue;
  onChange: (value: ExpiryValue) => void;
  label?: string;
  description?: string | undefined;
  error?: string | undefined;
}

export function ExpiryChoice({ value, onChange, label = 'Expires', description, error }: Props) {
  const id = useId();
  const isDate = typeof value === 'string';
  return (
    <Stack gap="xs">
      <Select
        id={id}
        label={label}
        description={description}
        data={choices}
        allowDeselect={false}
        value={isDate ? 'date' : String(value)}
        onChange={(chosen) => onChange(chosen === 'date' ? '' : Number(chosen))}
      />
      {isDate && (
        <TextInput
          type="date"
          label="Expires at the end of"
          value={value}
          error={error}
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
        />
      )}
    </Stack>
  );
}
