import { ActionIcon, Space } from '@mantine/core';
import { IconDotsVertical, IconWaveSine } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { api } from '../../api/client.ts';
import { Menu, MenuItem } from '../../components/menu/menu.tsx';
import { SidePanel } from '../../components/side-panel/side-panel.tsx';
import { FormSkeleton } from '../../components/states/form-skeleton.tsx';
import { useMay } from '../../session/session.tsx';

const SimulatedUplink = lazy(() => import('./simulated-uplink.tsx').then((m) => ({ default: m.SimulatedUplink })));

/** The menu of rare actions of a device. It opens the form of a simulated uplink in a side sheet. */
export function SendAsDevice({ devEUI }: { devEUI: string }) {
  const may = useMay()('simulatedUplink.send');
  const [isOpen, setOpen] = useState(false);
  const { data: isOffered, isPending } = useQuery({
    queryKey: ['offered', 'simulatedUplink', 'send'],
    queryFn: () => api.simulatedUplink.send.isOffered(),
    staleTime: Infinity,
    enabled: may,
  });
  // Reserves its space until the server answers, so that the buttons beside it do not move.
  if (may && isPending) return <Space w={34} />;
  if (!may || !isOffered) return null;
  return (
    <>
      <Menu
        label="More actions"
        trigger={(props) => (
          <ActionIcon {...props} variant="subtle" color="gray" size={34} aria-label="More actions" title="More actions">
            <IconDotsVertical size={18} />
          </ActionIcon>
        )}
      >
        <MenuItem icon={<IconWaveSine size={16} />} onChoose={() => setOpen(true)}>
          Send as this device
        </MenuItem>
      </Menu>
      <SidePanel title="Send as this device" opened={isOpen} onClose={() => setOpen(false)}>
        <Suspense fallback={<FormSkeleton />}>
          <SimulatedUplink devEUI={devEUI} onLeave={() => setOpen(false)} />
        </Suspense>
      </SidePanel>
    </>
  );
}
