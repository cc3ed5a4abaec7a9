import { Button } from '@mantine/core';
import { IconColumns3 } from '@tabler/icons-react';
import { lazy } from 'react';
import { Popup } from '../popup/popup.tsx';
import type { ColumnChoiceProps } from './column-choice.tsx';

// Loaded on demand: columns are chosen seldom.
const ColumnChoice = lazy(() => import('./column-choice.tsx').then((m) => ({ default: m.ColumnChoice })));

/** The button that adds columns to a list. */
export function ColumnsMenu(props: ColumnChoiceProps) {
  return (
    <Popup
      label="Columns"
      trigger={(trigger) => (
        <Button variant="default" leftSection={<IconColumns3 size={16} />} {...trigger}>
          Columns
        </Button>
      )}
    >
      {() => <ColumnChoice {...props} />}
    </Popup>
  );
}
