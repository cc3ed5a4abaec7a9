import { Stack, Tabs, VisuallyHidden } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { FieldName } from '../../api/facts.ts';
import edges from '../scroll-edges/scroll-edges.module.css';
import { useScrollEdges } from '../scroll-edges/use-scroll-edges.ts';
import classes from './form.module.css';
import { TabContext, useFormContext } from './use-message-form.ts';

interface FormTab {
  value: string;
  label: string;
  content: ReactNode;
}

/** The tabs of one form. All panels stay mounted, so all are validated; a tab with an error is marked and opened. */
export function FormTabs({ tabs }: { tabs: FormTab[] }) {
  const { form } = useFormContext();
  const { refused, errors, fields } = form;
  const row = useScrollEdges<HTMLDivElement>();
  const [chosen, setChosen] = useState<{ tab: string | null; after: unknown }>({
    tab: tabs[0]?.value ?? null,
    after: null,
  });
  // A failed validation opens the tab of the first error until the user selects another one.
  const active = chosen.after === refused ? chosen.tab : (refused?.tab ?? chosen.tab);
  const wrong = new Set(Object.keys(errors).map((path) => fields.get(path as FieldName)?.tab));

  return (
    <Tabs value={active} onChange={(tab) => setChosen({ tab, after: refused })} keepMountedMode="display-none">
      <Tabs.List ref={row} className={`${classes.tabs} ${edges.edges}`}>
        {tabs.map(({ value, label }) => (
          <Tabs.Tab key={value} value={value} data-wrong={wrong.has(value) || undefined}>
            {label}
            {wrong.has(value) && (
              <span className={classes.wrong}>
                <VisuallyHidden> has errors</VisuallyHidden>
              </span>
            )}
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
