import { IconKey } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api } from '../../api/client.ts';
import { perform, query } from '../../api/queries.ts';
import { useOffered } from '../../api/use-offered.ts';
import { DeleteButton } from '../../components/confirm/delete-button.tsx';
import { StayButton } from '../../components/form/stay-button.tsx';
import { LinkButton } from '../../components/link/link.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { Loaded } from '../../components/states/loaded.tsx';
import { paths } from '../../paths.ts';
import { useSession } from '../../session/session.tsx';
import { UserForm } from './user-form.tsx';

export function UserEdit() {
  const { userID } = useIDs();
  const session = useSession();
  const navigate = useNavigate();
  const isOneself = session.user.id === userID;
  const hasSessions = useOffered('session', 'listOfUser', false);
  const toList = () => void navigate({ to: paths.user.list() });
  return (
    <Loaded isPage query={useQuery(query('user', 'get', { id: userID }))}>
      {({ user }) => (
        <>
          <PageHeader
            crumbs={[{ label: 'Users', to: paths.user.list() }]}
            title={user.email}
            actions={
              <>
                <LinkButton variant="default" to={paths.userPassword(userID)} leftSection={<IconKey size={16} />}>
                  Change password
                </LinkButton>
                {hasSessions && (
                  <LinkButton variant="default" to={paths.userSessions(userID)}>
                    Sign-in and sessions
                  </LinkButton>
                )}
                <DeleteButton
                  question="Are you sure you want to delete this user?"
                  name={user.email}
                  disabledReason={isOneself ? 'You cannot delete your own account.' : undefined}
                  onDelete={() =>
                    perform(api.user.delete({ id: userID }), {
                      gone: ['user'],
                      changed: ['organization'],
                      done: 'user has been deleted',
                    })
                  }
                  onDone={toList}
                />
              </>
            }
          />
          <UserForm
            key={user.id}
            initial={user}
            isOneself={isOneself}
            submit="Update user"
            stayButton={StayButton}
            onSubmit={(values) =>
              perform(api.user.update({ user: values.user }), {
                changed: isOneself ? ['user', 'internal'] : ['user'],
                done: 'user has been updated',
              })
            }
            onSaved={toList}
          />
        </>
      )}
    </Loaded>
  );
}
