import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { query } from '../api/queries.ts';
import { paths } from '../paths.ts';
import { useCurrentOrganization } from '../session/session.tsx';

const shown = 10;

/** Chooses the organization by name; choosing one always opens its dashboard. */
export function OrganizationPicker() {
  const navigate = useNavigate();
  const current = useCurrentOrganization();
  const [typed, setTyped] = useState('');
  const search = typed === current?.name ? '' : typed;
  const [asked] = useDebouncedValue(search, 250);
  const { data, isPending } = useQuery({
    ...query('organization', 'list', { limit: shown, offset: 0, search: asked }),
    placeholderData: keepPreviousData,
  });
  const options = (data?.result ?? []).map(({ id, name }) => ({ value: id, label: name }));
  if (current && !options.some(({ value }) => value === current.id) && search === '') {
    options.splice(shown - 1);
    options.unshift({ value: current.id, label: current.name });
  }
  return (
    <Select
      label="Organization"
      placeholder={isPending ? 'Loading ...' : 'Choose an organization'}
      data={
        options.length === 0 ? [] : [{ group: `Showing ${options.length} of ${data?.totalCount ?? 0}`, items: options }]
      }
      value={current?.id ?? null}
      onChange={(organizationID) => organizationID && void navigate({ to: paths.organization(organizationID) })}
      searchable
      searchValue={typed}
      onSearchChange={setTyped}
      filter={({ options: all }) => all}
      nothingFoundMessage="No organization has this name"
      allowDeselect={false}
    />
  );
}
