import '@mantine/spotlight/styles.layer.css';
import { useDebouncedValue } from '@mantine/hooks';
import { Spotlight, spotlight } from '@mantine/spotlight';
import { IconAntenna, IconAppWindow, IconBuilding, IconCpu, IconSearch } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { query } from '../../api/queries.ts';
import { paths } from '../../paths.ts';
import { useEntries } from '../../shell/entries.ts';
import { targetOf } from './found.ts';

const icons = { organization: IconBuilding, application: IconAppWindow, gateway: IconAntenna, device: IconCpu };
const suggested = 8;

/** Goes anywhere by keyboard: pages of the navigation, and what a search finds while one types. `asked` opens it. */
export function Palette({ asked }: { asked: number }) {
  const navigate = useNavigate();
  const { administration, organization } = useEntries();
  const [text, setText] = useState('');
  const search = text.trim();
  const [settled] = useDebouncedValue(search, 200);
  const { data, isFetching } = useQuery({
    ...query('internal', 'globalSearch', { search: settled, limit: suggested, offset: 0 }),
    enabled: settled !== '',
    placeholderData: keepPreviousData,
  });
  useEffect(() => {
    if (asked > 0) spotlight.open();
  }, [asked]);

  const pages = [...organization, ...administration].filter(({ label }) =>
    label.toLowerCase().includes(search.toLowerCase()),
  );
  const found = search === '' || settled === '' ? [] : (data?.result ?? []);
  return (
    <Spotlight.Root query={text} onQueryChange={setText} shortcut={null} scrollable maxHeight="min(60vh, 460px)">
      <Spotlight.Search
        aria-label="Search or go to"
        placeholder="Search organization, application, gateway or device, or a page"
        leftSection={<IconSearch size={18} />}
      />
      <Spotlight.ActionsList aria-busy={isFetching}>
        {found.length > 0 && (
          <Spotlight.ActionsGroup label="Found">
            {found.map((one) => {
              const { to, name, id } = targetOf(one);
              const Icon = icons[one.kind as keyof typeof icons] ?? IconSearch;
              return (
                <Spotlight.Action
                  key={`${one.kind}-${id}`}
                  label={name}
                  description={[
                    one.kind,
                    one.kind === 'organization' ? '' : `organization: ${one.organizationName}`,
                    id,
                  ]
                    .filter(Boolean)
                    .join(' · ')}
                  leftSection={<Icon size={18} />}
                  onClick={() => void navigate({ to })}
                />
              );
            })}
          </Spotlight.ActionsGroup>
        )}
        {pages.length > 0 && (
          <Spotlight.ActionsGroup label="Go to">
            {pages.map(({ label, to, Icon }) => (
              <Spotlight.Action
                key={to}
                label={label}
                leftSection={<Icon size={18} />}
                onClick={() => void navigate({ to })}
              />
            ))}
          </Spotlight.ActionsGroup>
        )}
        {search !== '' && (
          <Spotlight.Action
            label={`Search for "${search}"`}
            leftSection={<IconSearch size={18} />}
            onClick={() => void navigate({ to: paths.search(), search: { search } })}
          />
        )}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}
