import { Button, Tooltip } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { useRouterState } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { useIDs } from '../../components/link/use-ids.ts';
import { SidePanel } from '../../components/side-panel/side-panel.tsx';
import { FormSkeleton } from '../../components/states/form-skeleton.tsx';
import { paths } from '../../paths.ts';
import { useActivation } from './use-device.ts';

const EnqueueForm = lazy(() => import('./enqueue-form.tsx').then((m) => ({ default: m.EnqueueForm })));

/** Opens the enqueue form in a side sheet; on the tab that shows the form it moves the focus there. */
export function SendDownlink({ devEUI }: { devEUI: string }) {
  const { organizationID, applicationID } = useIDs();
  const [isOpen, setOpen] = useState(false);
  const pathname = useRouterState({ select: ({ location }) => location.pathname });
  const activation = useActivation().data;
  const isActivated = activation === undefined || !!activation?.deviceActivation.devAddr;
  const details = paths.device.one(organizationID, applicationID, devEUI);
  const open = () => {
    if (!isActivated) return;
    const form = pathname === details ? document.getElementById('enqueue-form') : null;
    if (!form) return setOpen(true);
    form.scrollIntoView({ block: 'nearest' });
    form.querySelector('input')?.focus();
  };
  return (
    <>
      <Tooltip label="This device has not (yet) been activated." disabled={isActivated}>
        <Button
          variant="light"
          leftSection={<IconSend size={16} />}
          aria-disabled={!isActivated}
          {...(!isActivated && { 'data-disabled': true })}
          onClick={open}
        >
          Send downlink
        </Button>
      </Tooltip>
      <SidePanel title="Enqueue downlink payload" opened={isOpen} onClose={() => setOpen(false)}>
        <Suspense fallback={<FormSkeleton />}>
          <EnqueueForm devEUI={devEUI} bare onSent={() => setOpen(false)} />
        </Suspense>
      </SidePanel>
    </>
  );
}
