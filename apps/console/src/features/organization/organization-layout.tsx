import { useQuery } from '@tanstack/react-query';
import { Outlet, useNavigate } from '@tanstack/react-router';
import { api } from '../../api/client.ts';
import { perform, query } from '../../api/queries.ts';
import { DeleteButton } from '../../components/confirm/delete-button.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { PageSkeleton } from '../../components/page-header/page-skeleton.tsx';
import { PageTabs } from '../../components/page-header/page-tabs.tsx';
import { Loaded } from '../../components/states/loaded.tsx';
import { paths } from '../../paths.ts';
import { useMay } from '../../session/session.tsx';
import { storeOrganizationID } from '../../session/storage.ts';

export function OrganizationLayout() {
  const { organizationID } = useIDs();
  const may = useMay();
  const navigate = useNavigate();
  return (
    <Loaded isPage query={useQuery(query('organization', 'get', { id: organizationID }))} skeleton={<PageSkeleton />}>
      {({ organization }) => (
        <>
          <PageHeader
            crumbs={[{ label: 'Organizations', to: paths.organizations() }]}
            title={organization.displayName || organization.name}
            actions={
              may('organization.delete') && (
                <DeleteButton
                  question="Are you sure you want to delete this organization?"
                  name={organization.name}
                  mustType
                  note="Its gateways, profiles, applications, devices and API keys are deleted with it."
                  onDelete={() =>
                    perform(api.organization.delete({ id: organizationID }), {
                      gone: ['organization'],
                      done: 'organization has been deleted',
                    })
                  }
                  onDone={() => {
                    storeOrganizationID(undefined);
                    void navigate({ to: paths.organizations() });
                  }}
                />
              )
            }
          />
          <PageTabs
            tabs={[
              { label: 'Dashboard', to: paths.organization(organizationID), exact: true },
              { label: 'Configuration', to: paths.organizationEdit(organizationID) },
            ]}
          />
          <Outlet />
        </>
      )}
    </Loaded>
  );
}
