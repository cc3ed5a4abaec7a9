import { Kbd, Modal, Stack, Title } from '@mantine/core';
import { useState } from 'react';
import { keyLabel } from './key-label.ts';
import classes from './shortcuts.module.css';
import { shortcutGroups } from './shortcuts.ts';

/** The dialog that lists the keyboard shortcuts. A higher number in `asked` opens it. */
export function ShortcutsDialog({ asked }: { asked: number }) {
  const [closed, setClosed] = useState(0);
  return (
    <Modal opened={asked > closed} onClose={() => setClosed(asked)} title="Keyboard shortcuts">
      <Stack gap="md">
        {shortcutGroups.map(({ label, shortcuts }) => (
          <section key={label}>
            <Title order={3} mb={4}>
              {label}
            </Title>
            <dl className={classes.list}>
              {shortcuts.map(({ keys, does }) => (
                <div key={does} className={classes.row}>
                  <dt>{does}</dt>
                  <dd>
                    {keys.map((key) => (
                      <Kbd key={key}>{keyLabel(key)}</Kbd>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </Stack>
    </Modal>
  );
}
