import { Stack, Tabs } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import classes from './form.module.css';
import { TabContext, useFormContext } from './use-message-form.ts';

interface FormTab {
  value: string;
  label: string;
  content: ReactNode;
}

/** The tabs of one form. All panels stay mounted, so all are checked; a tab with a problem is marked and opened. */
export function FormTabs({ tabs }: { tabs: FormTab[] }) {
  const { form } = useFormContext();
  const [active, setActive] = useState<string | null>(tabs[0]?.value ?? null);
  const { refused, errors, fields } = form;
  const wrong = new Set(Object.keys(errors).map((path) => fields.get(path)?.tab));

  useEffect(() => {
    if (refused?.tab) setActive(refused.tab);
  }, [refused]);

  return (
    <Tabs value={active} onChange={setActive} keepMountedMode="display-none">
      <Tabs.List className={classes.tabs}>
        {tabs.map(({ value, label }) => (
          <Tabs.Tab key={value} value={value} data-wrong={wrong.has(value) || undefined}>
            {label}
            {wrong.has(value) && <span className={classes.wrong} role="img" aria-label="has errors" />}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map(({ value, content }) => (
        <Tabs.Panel key={value} value={value} pt="md">
          <TabContext value={value}>
            <Stack gap="md">{content}</Stack>
          </TabContext>
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
