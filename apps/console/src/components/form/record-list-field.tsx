import { ActionIcon, Group, Select, Stack } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { FieldName } from '../../api/facts.ts';
import type { Read } from '../../api/queries.ts';
import { type Named, useNamed } from './use-named.ts';

interface Props {
  /** Path of the list of ids. */
  name: FieldName;
  query: Read<{ result: readonly { id: string; name: string }[] }>;
  /** The noun for one record. */
  noun: string;
  /** Instead of the text of the contract. */
  help?: string;
}

/** Selects several records by name. */
export function RecordListField({ query, noun, ...named }: Props) {
  const { data } = useQuery(query);
  const { field, labelled } = useNamed<string[], Named>(named);
  const records = data?.result ?? [];
  const nameOf = (id: string) => records.find((one) => one.id === id)?.name ?? id;
  return (
    <Stack gap="xs">
      <Select
        {...labelled}
        placeholder={field.value.length === 0 ? 'All' : `Add ${noun} ...`}
        searchable
        value={null}
        data={records.filter(({ id }) => !field.value.includes(id)).map((one) => ({ value: one.id, label: one.name }))}
        onChange={(id) => id !== null && field.onChange([...field.value, id])}
      />
      {field.value.map((id) => (
        <Group key={id} gap="xs" wrap="nowrap">
          <span>{nameOf(id)}</span>
          {!field.disabled && (
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={`Remove ${nameOf(id)}`}
              onClick={() => field.onChange(field.value.filter((other) => other !== id))}
            >
              <IconX size={14} />
            </ActionIcon>
          )}
        </Group>
      ))}
    </Stack>
  );
}
