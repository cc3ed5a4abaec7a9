import { useQuery } from '@tanstack/react-query';
import { Outlet, useNavigate } from '@tanstack/react-router';
import { api } from '../../api/client.ts';
import { perform, query } from '../../api/queries.ts';
import { DeleteButton } from '../../components/confirm/delete-button.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { PageTabs } from '../../components/page-header/page-tabs.tsx';
import { Loaded } from '../../components/states/loaded.tsx';
import { paths } from '../../paths.ts';
import { useMay } from '../../session/session.tsx';

export function ApplicationLayout() {
  const { organizationID, applicationID } = useIDs();
  const may = useMay();
  const navigate = useNavigate();
  return (
    <Loaded query={useQuery(query('application', 'get', { id: applicationID }))}>
      {({ application }) => (
        <>
          <PageHeader
            crumbs={[{ label: 'Applications', to: paths.applications(organizationID) }]}
            title={application.name}
            actions={
              may('application.delete') && (
                <DeleteButton
                  question="Are you sure you want to delete this application? This will also delete all devices of this application!"
                  name={application.name}
                  mustType
                  onDelete={() =>
                    perform(api.application.delete({ id: applicationID }), {
                      gone: ['application', 'device'],
                      done: 'application has been deleted',
                    })
                  }
                  onDone={() => void navigate({ to: paths.applications(organizationID) })}
                />
              )
            }
          />
          <PageTabs
            tabs={[
              { label: 'Devices', to: paths.application(organizationID, applicationID), exact: true },
              {
                label: 'Application configuration',
                to: paths.applicationEdit(organizationID, applicationID),
                hidden: !may('application.update'),
              },
            ]}
          />
          <Outlet />
        </>
      )}
    </Loaded>
  );
}
