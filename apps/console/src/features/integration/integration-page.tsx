import { useQuery } from '@tanstack/react-query';
import { Outlet, useNavigate } from '@tanstack/react-router';
import { query } from '../../api/queries.ts';
import { DeleteButton } from '../../components/confirm/delete-button.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { PageSkeleton } from '../../components/page-header/page-skeleton.tsx';
import { Loaded } from '../../components/states/loaded.tsx';
import { NotFound } from '../../components/states/states.tsx';
import { paths } from '../../paths.ts';
import { kindAt } from './kinds.ts';
import { removal, remove } from './remove.ts';

/** The page of one integration of an application, around its sections. */
export function IntegrationPage() {
  const { organizationID, applicationID, kind: segment } = useIDs();
  const navigate = useNavigate();
  const application = useQuery(query('application', 'get', { id: applicationID }));
  const kind = kindAt(segment);
  if (!kind) return <NotFound />;
  const all = paths.integrations(organizationID, applicationID);
  return (
    <Loaded isPage query={application} skeleton={<PageSkeleton />}>
      {({ application: { name } }) => (
        <>
          <PageHeader
            crumbs={[
              { label: name, to: paths.application.one(organizationID, applicationID) },
              { label: 'Integrations', to: all },
            ]}
            title={kind.label}
            actions={
              <DeleteButton
                {...removal(kind)}
                label="Remove"
                name={name}
                onDelete={() => remove(kind, applicationID)}
                onDone={() => void navigate({ to: all })}
              />
            }
            tabs={[{ label: 'Configuration', to: paths.integration(organizationID, applicationID, segment, 'edit') }]}
          />
          <Outlet />
        </>
      )}
    </Loaded>
  );
}
