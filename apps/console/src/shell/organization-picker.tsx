import { TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconCheck, IconSelector } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { query } from '../api/queries.ts';
import classes from '../components/combobox/options.module.css';
import { useOptions } from '../components/combobox/use-options.ts';
import { paths } from '../paths.ts';
import { useCurrentOrganization } from '../session/session.tsx';

const most = 10;

/** The first organizations with this text in their name, the current one among them; `isCurrent`: for this text. */
function useMatchingOrganizations(search: string, current: ReturnType<typeof useCurrentOrganization>) {
  const [asked] = useDebouncedValue(search, 250);
  const { data, isPlaceholderData, isError, isPending } = useQuery({
    ...query('organization', 'list', { limit: most, offset: 0, search: asked, orderBy: 'name' }),
    placeholderData: keepPreviousData,
  });
  const shown: { id: string; name: string; displayName: string }[] = [...(data?.result ?? [])];
  if (current && search === '' && shown.length > 0 && !shown.some(({ id }) => id === current.id)) {
    shown.splice(most - 1);
    shown.unshift(current);
  }
  const total = data?.totalCount ?? 0;
  return { shown, total, isPending, isError, isCurrent: asked === search && !isPlaceholderData };
}

/** Selects the organization by name; selecting one opens its dashboard. */
export function OrganizationPicker() {
  const navigate = useNavigate();
  const current = useCurrentOrganization();
  // The typed text; without it the box shows the name of the current organization.
  const [typed, setTyped] = useState<string>();
  const [isOpen, setOpen] = useState(false);
  const search = (typed ?? '').trim();
  const { shown, total, isPending, isError, isCurrent } = useMatchingOrganizations(search, current);

  function close() {
    setOpen(false);
    setTyped(undefined);
  }

  const { box, list, option } = useOptions({
    text: search,
    keys: shown.map(({ id }) => id),
    isOpen,
    // Only after the response to the typed text: Enter must not select an option of an earlier response.
    takesFirst: search !== '' && isCurrent,
    onChoose: (id) => {
      close();
      void navigate({ to: paths.organization.one(id) });
    },
    onClose: close,
    onOpen: () => setOpen(true),
  });

  const isNone = !isPending && shown.length === 0;
  return (
    <div className={classes.anchor}>
      <TextInput
        {...box}
        label="Organization"
        placeholder={isPending ? 'Loading ...' : 'Choose an organization'}
        rightSection={<IconSelector size={16} />}
        rightSectionPointerEvents="none"
        value={typed ?? current?.name ?? ''}
        onFocus={(event) => event.currentTarget.select()}
        onClick={() => setOpen(true)}
        onChange={(event) => {
          setOpen(true);
          setTyped(event.currentTarget.value);
        }}
        onBlur={close}
      />
      {isOpen && (
        <div className={classes.floating}>
          <div {...list} className={classes.list} aria-label="Organizations">
            {search === '' && !isNone && !isPending && (
              <div className={classes.heading} role="presentation">
                Showing {shown.length} of {total}
              </div>
            )}
            {shown.map(({ id, name, displayName }) => (
              <div key={id} {...option(id)} className={classes.option}>
                <span className={classes.text}>
                  {name}
                  {displayName !== name && <span className={classes.beside}> {displayName}</span>}
                </span>
                {id === current?.id && <IconCheck size={16} aria-label="current" />}
              </div>
            ))}
          </div>
          {isError && <p className={classes.note}>The organizations could not be loaded.</p>}
          {isNone && !isError && (
            <p className={classes.note}>{search === '' ? 'There are none yet.' : 'No organization has this name.'}</p>
          )}
        </div>
      )}
    </div>
  );
}
