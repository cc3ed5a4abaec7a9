import { Select, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Read } from '../../api/queries.ts';
import { ErrorState } from '../states/states.tsx';

interface RecordSelectProps {
  label: string;
  read: Read<{ result: readonly { id: string; name: string }[] }>;
  /** The entry that removes the present value. */
  none?: string;
  value?: string | null;
  onChange: (id: string) => void;
}

const noneValue = 'none';

export function RecordSelect({ label, read, none, value, onChange }: RecordSelectProps) {
  const { data, error, isPending, refetch } = useQuery(read);
  if (error) return <ErrorState error={error} retry={() => void refetch()} />;
  const records = (data?.result ?? []).map(({ id, name }) => ({ value: id, label: name }));
  if (data && records.length === 0 && none === undefined)
    return <Text>{`There is no ${label.toLowerCase()} to choose.`}</Text>;
  return (
    <Select
      label={label}
      placeholder={isPending ? 'Loading ...' : 'Choose ...'}
      data={none === undefined ? records : [{ value: noneValue, label: none }, ...records]}
      {...(value !== undefined && { value })}
      onChange={(id) => id !== null && onChange(id === noneValue ? '' : id)}
      allowDeselect={false}
      searchable
      withAsterisk
      openOnFocus={false}
    />
  );
}
