import type { DeviceListItem } from '@hilltop/contract';
import { Button } from '@mantine/core';
import { IconCpu, IconUsersMinus } from '@tabler/icons-react';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { perform, query } from '../../api/queries.ts';
import { ConfirmDialog } from '../../components/confirm/confirm-dialog.tsx';
import { deviceColumns } from '../../components/device/device-columns.tsx';
import { LinkButton } from '../../components/link/link.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import { ResourceList } from '../../components/list/resource-list.tsx';
import { useSelection } from '../../components/list/use-selection.tsx';
import { paths } from '../../paths.ts';
import { useMay } from '../../session/session.tsx';

/** The members of a multicast-group. They are added on the device list of the application. */
export function GroupDevices() {
  const { organizationID, applicationID, multicastGroupID } = useIDs();
  const [isRemoving, setRemoving] = useState(false);
  const may = useMay();
  const selection = useSelection<DeviceListItem>(({ devEUI }) => devEUI);
  const mayAdd = may('multicastGroup.addDevice');
  const mayRemove = may('multicastGroup.removeDevice');
  const { size } = selection.chosen;
  const [lastSeen, name, devEUI] = deviceColumns(() => organizationID);

  async function removeChosen() {
    for (const devEUI of selection.chosen.keys()) {
      await perform(api.multicastGroup.removeDevice({ multicastGroupID, devEUI }), {
        changed: ['multicastGroup', 'device'],
        done: `${devEUI} removed from multicast-group`,
      });
      selection.drop([devEUI]);
    }
  }

  return (
    <>
      <ResourceList
        label="Devices of the multicast-group"
        query={({ limit, offset, search, orderBy }) =>
          query('device', 'list', { multicastGroupID, limit, offset, search, orderBy })
        }
        search="Search by name or EUI"
        selection={mayRemove ? selection : undefined}
        toolbar={
          mayRemove && (
            <Button
              variant="outline"
              color="red"
              disabled={size === 0}
              leftSection={<IconUsersMinus size={16} />}
              onClick={() => setRemoving(true)}
            >
              {size === 0 ? 'Remove from group' : `Remove from group (${size})`}
            </Button>
          )
        }
        rowKey={({ devEUI }) => devEUI}
        columns={[
          lastSeen,
          // There is room for more than the EUI: it stands beside the name.
          { ...name, share: 2 },
          { ...devEUI, fit: undefined, share: 3 },
        ]}
        empty={{
          title: 'No devices in this group yet',
          text: mayAdd
            ? 'Select devices in the application and choose "Add to multicast group".'
            : 'A device admin adds devices of the application.',
          icon: <IconCpu size={32} />,
          action: mayAdd && (
            <LinkButton to={paths.application.one(organizationID, applicationID)}>Choose devices</LinkButton>
          ),
        }}
      />
      <ConfirmDialog
        opened={isRemoving}
        onClose={() => setRemoving(false)}
        title="Remove from group?"
        question={`Are you sure you want to remove ${size === 1 ? 'this device' : `these ${size} devices`} from the multicast-group?`}
        name={[...selection.chosen.values()].map(({ name }) => name).join(', ')}
        action="Remove"
        onConfirm={removeChosen}
      />
    </>
  );
}
