import { IconSend } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Outlet, useNavigate, useRouterState } from '@tanstack/react-router';
import { api } from '../../api/client.ts';
import { perform, query } from '../../api/queries.ts';
import { DeleteButton } from '../../components/confirm/delete-button.tsx';
import { LinkButton } from '../../components/link/link.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import { PageSkeleton } from '../../components/page-header/page-skeleton.tsx';
import { RecordHeader } from '../../components/page-header/record-header.tsx';
import { Loaded } from '../../components/states/loaded.tsx';
import { paths } from '../../paths.ts';
import { useMay } from '../../session/session.tsx';
import { useCrumbs } from './crumbs.ts';

/** The page of one multicast-group: name, and tabs with an address each. */
export function MulticastGroupLayout() {
  const { organizationID, applicationID, multicastGroupID: id } = useIDs();
  const may = useMay();
  const navigate = useNavigate();
  const crumbs = useCrumbs();
  const isAtForm = useRouterState({ select: ({ location }) => location.pathname.endsWith('/downlinks') });
  const group = useQuery(query('multicastGroup', 'get', { id }));
  const to = (address: (...ids: [string, string, string]) => string) => address(organizationID, applicationID, id);
  return (
    <Loaded query={group} skeleton={<PageSkeleton />}>
      {({ multicastGroup: { name, mcAddr, groupType, dr, frequency, fCnt } }) => (
        <>
          <RecordHeader
            crumbs={crumbs}
            title={name}
            identifier={{ name: 'Address', value: mcAddr, of: 'multicast address' }}
            facts={[
              { name: 'Class', value: groupType.slice('CLASS_'.length) },
              { name: 'Data-rate', value: `DR${dr}` },
              { name: 'Frequency', value: frequency === 0 ? 'of the region' : `${frequency / 1e6} MHz` },
              { name: 'FCnt', value: String(fCnt) },
              { name: 'Devices', value: <DeviceCount multicastGroupID={id} /> },
            ]}
            primary={
              may('multicastGroup.enqueue') && (
                <LinkButton
                  variant="light"
                  to={to(paths.multicastGroupDownlinks)}
                  leftSection={<IconSend size={16} />}
                  onClick={() => isAtForm && document.querySelector<HTMLElement>('#enqueue-form input')?.focus()}
                >
                  Send downlink
                </LinkButton>
              )
            }
            actions={
              may('multicastGroup.delete') && (
                <DeleteButton
                  question="Are you sure you want to delete this multicast-group?"
                  note={<StayingDevices multicastGroupID={id} />}
                  name={name}
                  onDelete={() =>
                    perform(api.multicastGroup.delete({ id }), {
                      gone: ['multicastGroup'],
                      done: 'multicast-group has been deleted',
                    })
                  }
                  onDone={() => void navigate({ to: paths.multicastGroup.list(organizationID, applicationID) })}
                />
              )
            }
            tabs={[
              { label: 'Devices', to: to(paths.multicastGroup.one), exact: true },
              {
                label: 'Configuration',
                to: to(paths.multicastGroupEdit),
                hidden: !may('multicastGroup.update'),
              },
              { label: 'Downlinks', to: to(paths.multicastGroupDownlinks) },
            ]}
          />
          <Outlet />
        </>
      )}
    </Loaded>
  );
}

function useDeviceCount(multicastGroupID: string): string | undefined {
  const { data } = useQuery(query('device', 'list', { multicastGroupID, limit: 0, offset: 0 }));
  return data && Number(data.totalCount).toLocaleString('en');
}

const DeviceCount = ({ multicastGroupID }: { multicastGroupID: string }) => useDeviceCount(multicastGroupID);

function StayingDevices({ multicastGroupID }: { multicastGroupID: string }) {
  const count = useDeviceCount(multicastGroupID);
  return `Its queued downlinks are deleted with it. Its ${count === undefined ? '' : `${count} `}devices stay.`;
}
