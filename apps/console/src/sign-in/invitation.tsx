import type { InvitationPreview } from '@hilltop/contract';
import { Button, Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { ApiError, api } from '../api/client.ts';
import { query } from '../api/queries.ts';
import { queryClient } from '../api/query-client.ts';
import { roleOf } from '../components/member-role/member-role.ts';
import { InlineError } from '../components/states/states.tsx';
import { paths } from '../paths.ts';
import { endSession } from '../session/end-session.ts';
import { knownSettings } from '../session/settings.ts';
import { clearAll, readToken, rememberWanted, storeToken } from '../session/storage.ts';
import { dropInvitationToken, keepInvitationToken, takeInvitationToken } from './invitation-token.ts';
import classes from './login.module.css';
import { MailPage } from './mail-page.tsx';
import { NewAccountForm } from './new-account-form.tsx';

const incomplete = new Error(
  'This invitation link is incomplete. Open the whole link of the mail, or ask for a new one.',
);

/** Accepts an invitation: with a new account, or with that of the user who is signed in. */
export function Invitation() {
  const [token] = useState(takeInvitationToken);
  const preview = useQuery({
    queryKey: ['invitation', 'preview', token],
    queryFn: async () => (await api.invitation.preview({ token })).invitation,
    enabled: token !== '',
    staleTime: Infinity,
    retry: false,
  });
  const error = token === '' ? incomplete : preview.error;
  return (
    <MailPage title="Invitation" heading="Invitation">
      {error ? (
        <>
          <InlineError error={error} />
          <Button component="a" href={paths.start()} variant="default">
            {readToken() === null ? 'Sign in' : 'Open the console'}
          </Button>
        </>
      ) : preview.data ? (
        <Acceptance token={token} invitation={preview.data} />
      ) : (
        <Skeleton height={260} />
      )}
    </MailPage>
  );
}

interface Props {
  token: string;
  invitation: InvitationPreview;
}

function Acceptance({ token, invitation }: Props) {
  const navigate = useNavigate();
  const [isSignedIn, setSignedIn] = useState(readToken() !== null);
  const settings = useQuery({ ...query('internal', 'settings', {}), staleTime: Infinity });
  const profile = useQuery({
    queryKey: ['internal', 'profile', {}],
    queryFn: () => api.internal.profile({}),
    enabled: isSignedIn,
    retry: false,
  });
  const hasEnded = profile.error instanceof ApiError && profile.error.code === 16;

  function enter(organizationID: string) {
    dropInvitationToken();
    queryClient.removeQueries({ queryKey: ['internal', 'profile'] });
    void navigate({ to: paths.organization.one(organizationID), replace: true });
  }

  if ((isSignedIn && profile.isPending) || settings.isPending) return <Skeleton height={260} />;
  const { openidConnect: provider } = knownSettings(settings.data);
  return (
    <>
      <Text className={classes.names ?? ''}>
        {invitation.invitedBy} invites you to <b>{invitation.organizationName}</b> as {roleOf(invitation)}.
      </Text>
      {isSignedIn && !hasEnded ? (
        <WithAccount
          token={token}
          invited={invitation.email}
          signedIn={profile.data?.user.email ?? ''}
          failure={profile.error}
          onAccepted={enter}
          onSignedOut={() => setSignedIn(false)}
        />
      ) : provider.enabled ? (
        <ToSignIn href={provider.loginURL} isFirst>
          {provider.loginLabel || 'Sign in'}
        </ToSignIn>
      ) : (
        <>
          <NewAccountForm
            token={token}
            email={invitation.email}
            onRegistered={({ jwt, organizationID }) => {
              storeToken(jwt);
              enter(organizationID);
            }}
          />
          <ToSignIn href={paths.login()}>I have an account: sign in</ToSignIn>
        </>
      )}
    </>
  );
}

/** The sign-in page returns to this page, which has the token in this tab. */
function ToSignIn({ href, isFirst = false, children }: { href: string; isFirst?: boolean; children: ReactNode }) {
  return (
    <Button
      component="a"
      href={href}
      fullWidth
      variant={isFirst ? 'filled' : 'default'}
      onClick={() => rememberWanted(paths.invitation(), 'not-signed-in')}
    >
      {children}
    </Button>
  );
}

interface WithAccountProps {
  token: string;
  invited: string;
  signedIn: string;
  failure: unknown;
  onAccepted: (organizationID: string) => void;
  onSignedOut: () => void;
}

function WithAccount({ token, invited, signedIn, failure, onAccepted, onSignedOut }: WithAccountProps) {
  const [isPending, setPending] = useState(false);
  const [refusal, setRefusal] = useState<unknown>(null);
  const isOther = signedIn !== '' && signedIn.toLowerCase() !== invited.toLowerCase();

  async function accept() {
    setPending(true);
    setRefusal(null);
    try {
      onAccepted((await api.invitation.accept({ token })).organizationID);
    } catch (error) {
      setRefusal(error);
    } finally {
      setPending(false);
    }
  }

  function signOut() {
    void endSession();
    clearAll();
    queryClient.clear();
    keepInvitationToken(token);
    onSignedOut();
  }

  if (isOther)
    return (
      <>
        <Text className={classes.names ?? ''}>
          The invitation is for {invited}, and you are signed in as {signedIn}. Sign out to accept it with the other
          account.
        </Text>
        <Button fullWidth onClick={signOut}>
          Sign out
        </Button>
        <Button component="a" href={paths.start()} fullWidth variant="default">
          Stay signed in
        </Button>
      </>
    );
  return (
    <>
      <Text className={classes.names ?? ''}>You are signed in as {signedIn}.</Text>
      <InlineError error={refusal ?? failure} />
      <Button fullWidth loading={isPending} onClick={() => void accept()}>
        Accept invitation
      </Button>
    </>
  );
}
