import { TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { paths } from '../paths.ts';

const placeholder = 'Search organization, application, gateway or device';

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
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      </form>
    </search>
  );
}
