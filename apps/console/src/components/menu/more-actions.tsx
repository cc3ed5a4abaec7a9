import { ActionIcon } from '@mantine/core';
import { IconDotsVertical } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Menu } from './menu.tsx';

/** The menu of rare actions in the header of a record. */
export function MoreActions({ children }: { children: ReactNode }) {
  return (
    <Menu
      label="More actions"
      trigger={(props) => (
        <ActionIcon {...props} variant="subtle" color="gray" size={34} aria-label="More actions" title="More actions">
          <IconDotsVertical size={18} />
        </ActionIcon>
      )}
    >
      {children}
    </Menu>
  );
}
