import type { LibraryProfileChange } from '@hilltop/contract';
import { Stack, Text } from '@mantine/core';
import { factsOf } from '../../api/facts.ts';
import { Facts } from '../facts/facts.tsx';
import classes from './library.module.css';
import { lineChanges } from './line-changes.ts';

const named: Readonly<Record<string, string>> = {
  '': '–',
  true: 'Yes',
  false: 'No',
  CAYENNE_LPP: 'Cayenne LPP',
  CUSTOM_JS: 'JavaScript',
};
const shown = (value: string) => named[value] ?? value;
const isScript = ({ field }: LibraryProfileChange) => field.endsWith('Script');
const labelOf = (field: string) => factsOf('DeviceProfile', field as never).label ?? field;

/** What an update from the library changes in a device-profile. */
export function ProfileChanges({ changes }: { changes: readonly LibraryProfileChange[] }) {
  const values = changes.filter((change) => !isScript(change));
  return (
    <Stack gap="sm">
      {values.length > 0 && (
        <Facts
          facts={values.map(({ field, before, after }) => [labelOf(field), `${shown(before)} → ${shown(after)}`])}
        />
      )}
      {changes.filter(isScript).map((change) => (
        <TextChanges key={change.field} label={labelOf(change.field)} {...change} />
      ))}
    </Stack>
  );
}

const signs = { same: ' ', removed: '-', added: '+', skipped: '…' } as const;

function TextChanges({ label, before, after }: { label: string; before: string; after: string }) {
  return (
    <div>
      <Text size="sm" fw={600} mb={4}>
        {label}
      </Text>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls on its own */}
      <pre className={classes.changes} tabIndex={0} aria-label={`Changes of ${label}`}>
        {lineChanges(before, after).map(({ kind, text }, at) => (
          <code key={at} className={classes.line} data-kind={kind}>
            {`${signs[kind]} ${text}`}
          </code>
        ))}
      </pre>
    </div>
  );
}
