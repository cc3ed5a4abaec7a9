import { useQuery } from '@tanstack/react-query';
import { Outlet, useNavigate } from '@tanstack/react-router';
import { api } from '../../api/client.ts';
import { prefetch } from '../../api/prefetch.ts';
import { perform, query } from '../../api/queries.ts';
import { DeleteButton } from '../../components/confirm/delete-button.tsx';
import { type IDs, useIDs } from '../../components/link/use-ids.ts';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { PageSkeleton } from '../../components/page-header/page-skeleton.tsx';
import { Loaded } from '../../components/states/loaded.tsx';
import { Status } from '../../components/status/status.tsx';
import { paths } from '../../paths.ts';
import { useMay } from '../../session/session.tsx';
import { deviceOf, useDevice, useProfileOf } from './use-device.ts';

/** The page of one device: name, status, and tabs with an address each. */
export function DeviceLayout() {
  const { organizationID, applicationID, devEUI } = useIDs();
  const may = useMay();
  const navigate = useNavigate();
  const deviceQuery = useDevice();
  const profile = useProfileOf(deviceQuery.data?.device.deviceProfileID);
  const application = useQuery(query('application', 'get', { id: applicationID }));
  const supportsJoin = profile.data?.deviceProfile.supportsJoin ?? true;
  const to = (address: (...ids: [string, string, string]) => string) => address(organizationID, applicationID, devEUI);
  return (
    <Loaded query={deviceQuery} skeleton={<PageSkeleton />}>
      {({ device }) => (
        <>
          <PageHeader
            crumbs={[
              { label: 'Applications', to: paths.application.list(organizationID) },
              {
                label: application.data?.application.name ?? 'Application',
                to: paths.application.one(organizationID, applicationID),
              },
            ]}
            title={device.name}
            badges={device.isDisabled && <Status tone="inactive">Disabled</Status>}
            actions={
              may('device.delete') && (
                <DeleteButton
                  question="Are you sure you want to delete this device?"
                  name={device.name}
                  onDelete={() =>
                    perform(api.device.delete({ devEUI }), { gone: ['device'], done: 'device has been deleted' })
                  }
                  onDone={() => void navigate({ to: paths.application.one(organizationID, applicationID) })}
                />
              )
            }
            tabs={[
              { label: 'Details', to: to(paths.device.one), exact: true },
              { label: 'Configuration', to: to(paths.deviceEdit) },
              {
                label: 'Keys (OTAA)',
                to: to(paths.deviceKeys),
                hidden: !may('device.getKeys'),
                disabled: supportsJoin ? undefined : 'The device-profile does not support OTAA.',
              },
              { label: 'Activation', to: to(paths.deviceActivation) },
              { label: 'Device data', to: to(paths.deviceData) },
              { label: 'LoRaWAN Frames', to: to(paths.deviceFrames) },
            ]}
          />
          <Outlet />
        </>
      )}
    </Loaded>
  );
}

DeviceLayout.ask = ({ devEUI }: IDs) => prefetch(deviceOf(devEUI));
