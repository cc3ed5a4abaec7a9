import { Kbd, TextInput, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconListSearch, IconSearch } from '@tabler/icons-react';
import { useNavigate, useRouterState } from '@tanstack/react-router';
import { type FormEvent, useRef, useState } from 'react';
import listClasses from '../components/combobox/options.module.css';
import { useOptions } from '../components/combobox/use-options.ts';
import { keyLabel } from '../components/shortcuts/key-label.ts';
import { DestinationOption } from '../features/search/destination-option.tsx';
import { type Destination, searchPage, useFound } from '../features/search/use-found.ts';
import { paths } from '../paths.ts';
import classes from './search-box.module.css';

const label = 'Search organization, application, gateway or device';

/** The palette shortcut as labelled on this keyboard. */
const paletteKey = keyLabel('mod+k');

/**
 * Search from every page, with suggestions while typing. Enter opens the search page, unless a suggestion is active.
 */
export function SearchBox({ onPalette }: { onPalette: () => void }) {
  const navigate = useNavigate();
  const box = useRef<HTMLInputElement>(null);
  const isPhone = useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false }) ?? false;
  const searched = useRouterState({
    select: ({ location }) =>
      location.pathname === paths.search() ? ((location.search as { search?: string }).search ?? '') : '',
  });
  // The typed text, until it has opened a page.
  const [typed, setTyped] = useState<string>();
  const [isWanted, setWanted] = useState(false);
  const text = typed ?? searched;
  const isOpen = isWanted && text.trim() !== '';
  const { found, isPending, error } = useFound(isOpen ? text : '');
  const all: Destination[] = isOpen ? [...found, searchPage(text.trim())] : [];

  function go({ to, search = {} }: Pick<Destination, 'to' | 'search'>) {
    setWanted(false);
    setTyped(undefined);
    box.current?.blur();
    void navigate({ to, search });
  }

  function submit(event: FormEvent) {
    event.preventDefault();
    go({ to: paths.search(), search: { search: text.trim() } });
  }

  const options = useOptions({
    text,
    keys: all.map(({ key }) => key),
    isOpen,
    onChoose: (key) => go(all.find((one) => one.key === key)!),
    onClose: () => setWanted(false),
    onOpen: () => setWanted(true),
  });
  const state = isPending ? 'Searching ...' : error ? 'The search failed.' : `${found.length || 'No'} suggestions`;
  return (
    <search className={classes.place}>
      <form onSubmit={submit}>
        <TextInput
          {...options.box}
          ref={box}
          type="search"
          aria-label={label}
          placeholder={isPhone ? 'Search' : label}
          leftSection={<IconSearch size={16} />}
          leftSectionWidth={32}
          rightSection={
            <UnstyledButton className={classes.key} title="Search or go to, from anywhere" onClick={onPalette}>
              <VisuallyHidden>Search or go to</VisuallyHidden>
              <Kbd size="xs">{paletteKey}</Kbd>
              <IconListSearch size={18} />
            </UnstyledButton>
          }
          rightSectionWidth={paletteKey === '⌘ K' ? 46 : 58}
          rightSectionPointerEvents="all"
          value={text}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
            setWanted(true);
          }}
          onBlur={() => setWanted(false)}
        />
      </form>
      {isOpen && <Suggestions destinations={all} options={options} isPending={isPending} />}
      <VisuallyHidden role="status">{isOpen && state}</VisuallyHidden>
    </search>
  );
}

interface SuggestionsProps {
  destinations: readonly Destination[];
  options: ReturnType<typeof useOptions>;
  isPending: boolean;
}

function Suggestions({ destinations, options, isPending }: SuggestionsProps) {
  return (
    <div className={`${listClasses.floating} ${classes.suggestions}`}>
      <div {...options.list} className={listClasses.list} aria-label="Suggestions" aria-busy={isPending || undefined}>
        {destinations.map((one) => (
          <DestinationOption key={one.key} destination={one} {...options.option(one.key)} />
        ))}
      </div>
    </div>
  );
}
