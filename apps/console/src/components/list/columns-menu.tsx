import { Button, Popover } from '@mantine/core';
import { IconColumns3 } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import type { ColumnChoiceProps } from './column-choice.tsx';

// Loaded on demand: columns are chosen seldom.
const ColumnChoice = lazy(() => import('./column-choice.tsx').then((m) => ({ default: m.ColumnChoice })));

/** The button that adds columns to a list. */
export function ColumnsMenu(props: ColumnChoiceProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-start" shadow="md" trapFocus returnFocus>
      <Popover.Target>
        <Button variant="default" leftSection={<IconColumns3 size={16} />} onClick={() => setOpen(!isOpen)}>
          Columns
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Columns">
        <Suspense>
          <ColumnChoice {...props} />
        </Suspense>
      </Popover.Dropdown>
    </Popover>
  );
}
