import { Button, Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { perform, query } from '../../api/queries.ts';
import { ConfirmDialog } from '../../components/confirm/confirm-dialog.tsx';
import { LongDate } from '../../components/last-seen/long-date.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { Loaded } from '../../components/states/loaded.tsx';
import { Status } from '../../components/status/status.tsx';
import { paths } from '../../paths.ts';
import { useSession } from '../../session/session.tsx';
import { SessionList } from './session-list.tsx';

/** Second factor and sessions of a user, for administrators. */
export function UserSessions() {
  const { userID } = useIDs();
  return (
    <Loaded isPage query={useQuery(query('user', 'get', { id: userID }))}>
      {({ user }) => (
        <>
          <PageHeader
            crumbs={[
              { label: 'Users', to: paths.user.list() },
              { label: user.email, to: paths.user.one(userID) },
            ]}
            title="Sign-in and sessions"
          />
          <Stack gap="md">
            <SecondFactorOfUser userID={userID} email={user.email} />
            <SessionList userID={userID} />
          </Stack>
        </>
      )}
    </Loaded>
  );
}

function SecondFactorOfUser({ userID, email }: { userID: string; email: string }) {
  const [isAsking, setAsking] = useState(false);
  const isOneself = useSession().user.id === userID;
  const state = useQuery(query('secondFactor', 'getOfUser', { userID }));
  return (
    <Paper component="section" aria-label="Second factor">
      <Title order={2} mb={4}>
        Second factor
      </Title>
      <Loaded query={state}>
        {({ isOn, since, isAvailable }) => (
          <>
            {isOn ? (
              <Text component="div" mb="md">
                <Status tone="active">On</Status> since <LongDate at={since} />
              </Text>
            ) : (
              <Text>
                {isAvailable ? 'Off' : 'This user has no password. The provider of single sign-on asks for it.'}
              </Text>
            )}
            {isOn && !isOneself && (
              <Button variant="default" onClick={() => setAsking(true)}>
                Reset second factor
              </Button>
            )}
          </>
        )}
      </Loaded>
      <ConfirmDialog
        opened={isAsking}
        onClose={() => setAsking(false)}
        title="Reset the second factor?"
        question="The user can sign in with the password alone, gets a mail about it, and all sessions of the user end. First verify who asks for it."
        name={email}
        action="Reset second factor"
        onConfirm={() =>
          perform(api.secondFactor.reset({ userID }), {
            changed: ['secondFactor', 'session', 'user'],
            done: 'second factor has been reset',
          })
        }
      />
    </Paper>
  );
}
