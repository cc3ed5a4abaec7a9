import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { api } from '../../api/client.ts';
import { prefetch } from '../../api/prefetch.ts';
import { query } from '../../api/queries.ts';
import { DeletedAlong } from '../../components/confirm/deleted-along.tsx';
import { AppLink, LinkButton } from '../../components/link/link.tsx';
import { type IDs, useIDs } from '../../components/link/use-ids.ts';
import { HeaderSkeleton } from '../../components/page-header/page-skeleton.tsx';
import { RecordHeader } from '../../components/page-header/record-header.tsx';
import { DeleteResource } from '../../components/resource/delete-resource.tsx';
import { DuplicateLink } from '../../components/resource/duplicate-link.tsx';
import { Loaded } from '../../components/states/loaded.tsx';
import { useTroubled } from '../../components/status/delivery-state.tsx';
import { Status } from '../../components/status/status.tsx';
import { Restorable } from '../../components/trash/restorable.tsx';
import { paths } from '../../paths.ts';
import { useMay } from '../../session/session.tsx';

const applicationOf = (id: string) => query('application', 'get', { id });

// Prefetches the list of devices below it.
void api.preload('application', 'device');

export function ApplicationLayout() {
  const { organizationID, applicationID } = useIDs();
  const may = useMay();
  const { troubled: all } = useTroubled(organizationID);
  const troubled = all.filter((one) => one.applicationID === applicationID).length;
  return (
    <Loaded query={useQuery(applicationOf(applicationID))} skeleton={<HeaderSkeleton />} below={<Outlet />}>
      {({ application }) => (
        <RecordHeader
          crumbs={[{ label: 'Applications', to: paths.application.list(organizationID) }]}
          title={application.name}
          identifier={{ name: 'ID', value: applicationID, of: 'application ID' }}
          facts={[
            { name: 'Devices', value: <DeviceCount applicationID={applicationID} />, width: 3 },
            ...(may('application.listIntegrations')
              ? [
                  {
                    name: 'Integrations',
                    value: <Integrations applicationID={applicationID} troubled={troubled} />,
                    width: 1,
                    isLong: true,
                  },
                ]
              : []),
            { name: 'Service-profile', value: <ServiceProfile id={application.serviceProfileID} /> },
          ]}
          primary={
            may('firstSteps.addDevice') && (
              <LinkButton
                to={paths.deviceAdd(organizationID)}
                search={{ application: applicationID } as never}
                leftSection={<IconPlus size={16} />}
                title="Step by step"
              >
                Add a device
              </LinkButton>
            )
          }
          actions={
            <>
              <DuplicateLink of="application" id={applicationID} />
              <DeleteResource
                of="application"
                id={applicationID}
                name={application.name}
                mustType
                gone={['device', 'multicastGroup']}
                warning="This will also delete all devices of this application!"
                note={
                  <>
                    <DeletedAlong counted={countedOf(applicationID)} /> <Restorable subject="They" />
                  </>
                }
              />
            </>
          }
          tabs={[
            { label: 'Devices', to: paths.application.one(organizationID, applicationID), exact: true },
            { label: 'Multicast groups', to: paths.multicastGroup.list(organizationID, applicationID) },
            {
              label: 'Application configuration',
              to: paths.applicationEdit(organizationID, applicationID),
              hidden: !may('application.update'),
            },
            {
              label: troubled > 0 ? `Integrations (${troubled} failing)` : 'Integrations',
              to: paths.integrations(organizationID, applicationID),
              hidden: !may('application.listIntegrations'),
            },
            {
              label: 'API keys',
              to: paths.applicationAPIKey.list(organizationID, applicationID),
              hidden: !may('internal.listAPIKeys'),
            },
          ]}
        />
      )}
    </Loaded>
  );
}

const devicesOf = (applicationID: string) => query('device', 'list', { applicationID, limit: 0, offset: 0 });

const countedOf = (applicationID: string) => [
  { noun: 'device', read: devicesOf(applicationID) },
  { noun: 'multicast-group', read: query('multicastGroup', 'list', { applicationID, limit: 0, offset: 0 }) },
  { noun: 'integration', read: query('application', 'listIntegrations', { applicationID }) },
];

function DeviceCount({ applicationID }: { applicationID: string }) {
  const { data } = useQuery(devicesOf(applicationID));
  return data && Number(data.totalCount).toLocaleString('en');
}

function ServiceProfile({ id }: { id: string }) {
  const { organizationID } = useIDs();
  const name = useQuery(query('serviceProfile', 'get', { id })).data?.serviceProfile.name;
  return <AppLink to={paths.serviceProfile.one(organizationID, id)}>{name ?? '…'}</AppLink>;
}

function Integrations({ applicationID, troubled }: { applicationID: string; troubled: number }) {
  const { data } = useQuery(query('application', 'listIntegrations', { applicationID }));
  if (!data) return '–';
  if (troubled > 0) return <Status tone="attention">{`${troubled} of ${data.totalCount} failing`}</Status>;
  return data.totalCount;
}

ApplicationLayout.ask = ({ applicationID }: IDs) => prefetch(applicationOf(applicationID));
