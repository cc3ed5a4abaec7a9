import { Kbd, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { paths } from '../paths.ts';
import classes from './shell.module.css';

const placeholder = 'Search organization, application, gateway or device';

/** What opens the palette, as this keyboard names it. */
const paletteKey = /mac|iphone|ipad/i.test(navigator.platform) ? '⌘ K' : 'Ctrl K';

export function SearchBox({ className }: { className: string }) {
  const navigate = useNavigate();
  const [text, setText] = useState('');

  function search(event: FormEvent) {
    event.preventDefault();
    void navigate({ to: paths.search(), search: { search: text.trim() } });
  }

  return (
    <search className={className}>
      <form onSubmit={search}>
        <TextInput
          type="search"
          aria-label={placeholder}
          placeholder={placeholder}
          leftSection={<IconSearch size={16} />}
          rightSection={
            <Kbd size="xs" aria-hidden className={classes.key} title="Suggestions and pages, from anywhere">
              {paletteKey}
            </Kbd>
          }
          rightSectionWidth={56}
          leftSectionWidth={32}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      </form>
    </search>
  );
}
