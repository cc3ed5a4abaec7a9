import { Tabs } from '@mantine/core';
import type { ReactNode } from 'react';
import form from '../form/form.module.css';

/** How a payload is entered. */
export type PayloadView = 'base64' | 'hex' | 'json';

const labels: Record<PayloadView, string> = { base64: 'Base64 encoded', hex: 'Hex', json: 'JSON object' };

interface Props {
  views: readonly PayloadView[];
  view: PayloadView;
  onView: (view: PayloadView) => void;
  /** The content of the current view. */
  children: ReactNode;
}

/** The views of one payload as tabs. Only the current one is mounted, validated and sent. */
export function PayloadViews({ views, view, onView, children }: Props) {
  return (
    <Tabs value={view} onChange={(next) => onView(next as PayloadView)} keepMounted={false}>
      <Tabs.List className={form.tabs ?? ''}>
        {views.map((one) => (
          <Tabs.Tab key={one} value={one}>
            {labels[one]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={view} pt="sm">
        {children}
      </Tabs.Panel>
    </Tabs>
  );
}
