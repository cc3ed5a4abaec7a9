import { Button, Tooltip } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { SidePanel } from '../../components/side-panel/side-panel.tsx';
import { FormSkeleton } from '../../components/states/form-skeleton.tsx';
import { useActivation } from './use-device.ts';

const DownlinkSheet = lazy(() => import('./downlink-sheet.tsx').then((m) => ({ default: m.DownlinkSheet })));

/** Opens the enqueue form with the last downlinks in a side sheet, on every tab. */
export function SendDownlink({ devEUI }: { devEUI: string }) {
  const [isOpen, setOpen] = useState(false);
  const activation = useActivation().data;
  const isActivated = activation === undefined || !!activation?.deviceActivation.devAddr;
  return (
    <>
      <Tooltip label="This device has not (yet) been activated." disabled={isActivated}>
        <Button
          variant="light"
          leftSection={<IconSend size={16} />}
          aria-disabled={!isActivated}
          {...(!isActivated && { 'data-disabled': true })}
          onClick={() => isActivated && setOpen(true)}
        >
          Send downlink
        </Button>
      </Tooltip>
      <SidePanel title="Enqueue downlink payload" opened={isOpen} onClose={() => setOpen(false)}>
        <Suspense fallback={<FormSkeleton />}>
          <DownlinkSheet devEUI={devEUI} onSent={() => setOpen(false)} />
        </Suspense>
      </SidePanel>
    </>
  );
}
