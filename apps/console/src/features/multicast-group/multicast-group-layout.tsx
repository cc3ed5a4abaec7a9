import { useQuery } from '@tanstack/react-query';
import { Outlet, useNavigate } from '@tanstack/react-router';
import { api } from '../../api/client.ts';
import { perform, query } from '../../api/queries.ts';
import { DeleteButton } from '../../components/confirm/delete-button.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { PageSkeleton } from '../../components/page-header/page-skeleton.tsx';
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
  const group = useQuery(query('multicastGroup', 'get', { id }));
  const to = (address: (...ids: [string, string, string]) => string) => address(organizationID, applicationID, id);
  return (
    <Loaded query={group} skeleton={<PageSkeleton />}>
      {({ multicastGroup: { name } }) => (
        <>
          <PageHeader
            crumbs={crumbs}
            title={name}
            actions={
              may('multicastGroup.delete') && (
                <DeleteButton
                  question="Are you sure you want to delete this multicast-group?"
                  note="Its devices stay."
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
