import { IconUser } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api } from '../../api/client.ts';
import { perform, query } from '../../api/queries.ts';
import { DeleteButton } from '../../components/confirm/delete-button.tsx';
import { StayButton } from '../../components/form/stay-button.tsx';
import { LinkButton } from '../../components/link/link.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { Loaded } from '../../components/states/loaded.tsx';
import { paths } from '../../paths.ts';
import { useMay, useSession } from '../../session/session.tsx';
import { OrganizationUserForm } from './organization-user-form.tsx';

export function OrganizationUserEdit() {
  const { organizationID, userID } = useIDs();
  const session = useSession();
  const may = useMay();
  const navigate = useNavigate();
  // The profile contains the user's own rights.
  const own = session.user.id === userID ? (['internal'] as const) : [];
  const toList = () => void navigate({ to: paths.organizationUser.list(organizationID) });
  return (
    <Loaded isPage query={useQuery(query('organization', 'getUser', { organizationID, userID, include: 'limits' }))}>
      {({ organizationUser }) => (
        <>
          <PageHeader
            crumbs={[{ label: 'Organization users', to: paths.organizationUser.list(organizationID) }]}
            title={organizationUser.email}
            actions={
              <>
                {may('user.update') && (
                  <LinkButton variant="default" to={paths.user.one(userID)} leftSection={<IconUser size={16} />}>
                    Goto user
                  </LinkButton>
                )}
                <DeleteButton
                  question="Are you sure you want to remove this organization user (this does not remove the user itself)?"
                  name={organizationUser.email}
                  disabledReason={
                    session.user.id === userID && !session.user.isAdmin
                      ? 'You cannot remove yourself from an organization.'
                      : undefined
                  }
                  onDelete={() =>
                    perform(api.organization.deleteUser({ organizationID, userID }), {
                      gone: ['organization'],
                      changed: [...own],
                      done: 'organization user has been deleted',
                    })
                  }
                  onDone={toList}
                />
              </>
            }
          />
          <OrganizationUserForm
            key={userID}
            initial={organizationUser}
            submit="Update organization user"
            stayButton={StayButton}
            onSubmit={(changed) =>
              perform(api.organization.updateUser({ organizationUser: changed }), {
                changed: ['organization', ...own],
                done: 'organization user has been updated',
              })
            }
            onSaved={toList}
          />
        </>
      )}
    </Loaded>
  );
}
