import { VisuallyHidden } from '@mantine/core';
import { IconCheck, IconX } from '@tabler/icons-react';

/** Yes or no in a table: a tick or a cross, with the word for screen readers. */
export function YesNo({ value }: { value: boolean }) {
  const Icon = value ? IconCheck : IconX;
  return (
    <>
      <Icon
        size={18}
        aria-hidden
        color={value ? 'var(--state-active)' : 'var(--state-never)'}
        style={{ verticalAlign: 'middle' }}
      />
      <VisuallyHidden>{value ? 'Yes' : 'No'}</VisuallyHidden>
    </>
  );
}
