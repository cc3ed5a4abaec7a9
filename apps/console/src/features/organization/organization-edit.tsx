import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api } from '../../api/client.ts';
import { perform, query } from '../../api/queries.ts';
import { useIDs } from '../../components/link/use-ids.ts';
import { Loaded } from '../../components/states/loaded.tsx';
import { paths } from '../../paths.ts';
import { useMay } from '../../session/session.tsx';
import { OrganizationForm } from './organization-form.tsx';

export function OrganizationEdit() {
  const { organizationID } = useIDs();
  const may = useMay();
  const navigate = useNavigate();
  return (
    <Loaded query={useQuery(query('organization', 'get', { id: organizationID }))}>
      {({ organization }) => (
        <OrganizationForm
          key={organization.id}
          initial={organization}
          submit="Update organization"
          disabled={!may('organization.update')}
          onSubmit={(changed) =>
            perform(api.organization.update({ organization: changed }), {
              changed: ['organization'],
              done: 'organization has been updated',
            })
          }
          onSaved={() => void navigate({ to: paths.organization(organizationID) })}
        />
      )}
    </Loaded>
  );
}
