import type { Device } from '@hilltop/contract';
import { Modal, Space } from '@mantine/core';
import { IconSwitch3, IconWaveSine } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { api } from '../../api/client.ts';
import { useIDs } from '../../components/link/use-ids.ts';
import { MenuItem } from '../../components/menu/menu.tsx';
import { MoreActions } from '../../components/menu/more-actions.tsx';
import { SidePanel } from '../../components/side-panel/side-panel.tsx';
import { FormSkeleton } from '../../components/states/form-skeleton.tsx';
import { useMay } from '../../session/session.tsx';

const SimulatedUplink = lazy(() => import('./simulated-uplink.tsx').then((m) => ({ default: m.SimulatedUplink })));
const MoveDevice = lazy(() => import('./move-device.tsx').then((m) => ({ default: m.MoveDevice })));
const JobDialog = lazy(() => import('../../components/job/job-dialog.tsx').then((m) => ({ default: m.JobDialog })));

/** A job of one device. */
const onlyOf = (device: Device) => ({
  chosen: new Map([[device.devEUI, device]]),
  matching: undefined,
  count: 1,
  drop: () => undefined,
});

/** The menu of rare actions of a device: a simulated uplink in a side sheet, and moving to another application. */
export function DeviceMenu({ device }: { device: Device }) {
  const { organizationID } = useIDs();
  const may = useMay();
  const maySend = may('simulatedUplink.send');
  const mayMove = may('device.update');
  const [open, setOpen] = useState<'send' | 'move' | 'move-away' | null>(null);
  const { data: isOffered, isPending } = useQuery({
    queryKey: ['offered', 'simulatedUplink', 'send'],
    queryFn: () => api.simulatedUplink.send.isOffered(),
    staleTime: Infinity,
    enabled: maySend,
  });
  // Reserves its space until the server answers, so that the buttons beside it do not move.
  if (maySend && isPending && !mayMove) return <Space w={34} />;
  const isSending = maySend && isOffered;
  if (!isSending && !mayMove) return null;
  const close = () => setOpen(null);
  return (
    <>
      <MoreActions>
        {isSending && (
          <MenuItem icon={<IconWaveSine size={16} />} onChoose={() => setOpen('send')}>
            Send as this device
          </MenuItem>
        )}
        {mayMove && (
          <MenuItem icon={<IconSwitch3 size={16} />} onChoose={() => setOpen('move')}>
            Move to another application
          </MenuItem>
        )}
      </MoreActions>
      <SidePanel title="Send as this device" opened={open === 'send'} onClose={close}>
        <Suspense fallback={<FormSkeleton />}>
          <SimulatedUplink devEUI={device.devEUI} onLeave={close} />
        </Suspense>
      </SidePanel>
      <Modal opened={open === 'move'} onClose={close} title={`Move ${device.name}`}>
        <Suspense fallback={<FormSkeleton />}>
          <MoveDevice device={device} onClose={close} onOtherOrganization={() => setOpen('move-away')} />
        </Suspense>
      </Modal>
      {open === 'move-away' && (
        <Suspense>
          <JobDialog kind="MOVE_DEVICES" selection={onlyOf(device)} scope={{ organizationID }} onClose={close} />
        </Suspense>
      )}
    </>
  );
}
