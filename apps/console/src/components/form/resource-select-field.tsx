import { useQuery } from '@tanstack/react-query';
import type { FieldName } from '../../api/facts.ts';
import type { Read } from '../../api/queries.ts';
import { SelectField } from './fields.tsx';
import type { FieldRules } from './rules.ts';

interface Row {
  id: string;
  name: string;
}

interface Props extends FieldRules {
  name: FieldName;
  /** The list to choose from; ask for up to 999 rows. */
  query: Read<{ result: readonly Row[] }>;
  clearable?: boolean;
  disabled?: boolean;
}

/** A picker of another resource by its name; the value is its id. */
export function ResourceSelectField({ query, ...field }: Props) {
  const { data, isPending } = useQuery(query);
  return (
    <SelectField
      {...field}
      searchable
      placeholder={isPending && query.enabled !== false ? 'Loading ...' : 'Choose ...'}
      options={(data?.result ?? []).map(({ id, name }) => ({ value: id, label: name }))}
    />
  );
}
