import { useNavigate } from '@tanstack/react-router';
import { api } from '../../api/client.ts';
import { perform } from '../../api/queries.ts';
import { useIDs } from '../../components/link/use-ids.ts';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { paths } from '../../paths.ts';
import { OrganizationUserForm } from './organization-user-form.tsx';

const nobody = {
  ...{ userID: '0', email: '', isAdmin: false, isDeviceAdmin: false, isGatewayAdmin: false },
  ...{ isReadOnly: false, applicationIDs: [] },
};

export function OrganizationUserCreate() {
  const { organizationID } = useIDs();
  const navigate = useNavigate();
  return (
    <>
      <PageHeader
        crumbs={[{ label: 'Organization users', to: paths.organizationUser.list(organizationID) }]}
        title="Add organization user"
      />
      <OrganizationUserForm
        initial={{ ...nobody, organizationID }}
        isNew
        submit="Add organization user"
        onSubmit={(organizationUser) =>
          perform(api.organization.addUser({ organizationUser }), {
            changed: ['organization'],
            done: 'organization user has been created',
          })
        }
        onSaved={() => void navigate({ to: paths.organizationUser.list(organizationID) })}
      />
    </>
  );
}
