import { Alert, Button, Paper, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { api } from '../api/client.ts';
import { query } from '../api/queries.ts';
import { queryClient } from '../api/query-client.ts';
import { MessageForm } from '../components/form/message-form.tsx';
import { PasswordField, TextField } from '../components/form/text-fields.tsx';
import { useMessageForm } from '../components/form/use-message-form.ts';
import { InlineError } from '../components/states/states.tsx';
import { paths } from '../paths.ts';
import { knownSettings } from '../session/settings.ts';
import { clearToken, hasWanted, storeToken, takeWanted } from '../session/storage.ts';
import { Branding } from '../shell/branding.tsx';
import { Logo } from '../shell/logo.tsx';
import classes from './login.module.css';

/** Signing in: by password, or by the button of the provider when single sign-on is enabled. */
export function Login() {
  const navigate = useNavigate();
  const { code, state }: { code?: string; state?: string } = useSearch({ strict: false });
  const settings = useQuery({ ...query('internal', 'settings', {}), staleTime: Infinity });

  useEffect(() => {
    clearToken();
    queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[1] !== 'settings' });
  }, []);

  function enter(token: string) {
    storeToken(token);
    void navigate({ to: takeWanted() ?? paths.start(), replace: true });
  }

  const { branding, openidConnect: provider } = knownSettings(settings.data);
  return (
    <main className={classes.page}>
      <title>Sign in · Hilltop</title>
      <Paper className={classes.card} shadow="sm">
        <div className={classes.head}>
          <Logo size={36} />
          <Title order={1}>Hilltop Login</Title>
        </div>
        {code && state ? (
          <FinishSignOn code={code} state={state} onToken={enter} />
        ) : settings.isPending ? (
          <Skeleton height={210} />
        ) : provider.enabled ? (
          <Button component="a" href={provider.loginURL} fullWidth>
            {provider.loginLabel || 'Sign in'}
          </Button>
        ) : (
          <PasswordForm onToken={enter} />
        )}
        {branding.registration && <Branding className={classes.registration ?? ''} html={branding.registration} />}
      </Paper>
    </main>
  );
}

function PasswordForm({ onToken }: { onToken: (token: string) => void }) {
  const form = useMessageForm('LoginRequest', { values: { email: '', password: '' } });
  return (
    <MessageForm
      form={form}
      submit="Login"
      bare
      guarded={false}
      onSubmit={async (values) => onToken((await api.internal.login(values)).jwt)}
    >
      {hasWanted() && <Text c="dimmed">Sign in to go on to the page you wanted.</Text>}
      <TextField name="email" autoComplete="username" />
      <PasswordField name="password" autoComplete="current-password" />
    </MessageForm>
  );
}

function FinishSignOn({ code, state, onToken }: { code: string; state: string; onToken: (token: string) => void }) {
  const { mutate, error } = useMutation({
    mutationFn: () => api.internal.openIDConnectLogin({ code, state }),
    onSuccess: ({ jwtToken }) => onToken(jwtToken),
  });
  const asked = useRef(false);
  useEffect(() => {
    if (asked.current) return;
    asked.current = true;
    mutate();
  }, [mutate]);
  return (
    <Stack>
      {error ? <InlineError error={error} /> : <Alert>Signing in ...</Alert>}
      {error && (
        <Button component="a" href={paths.login()} variant="default">
          Back to the sign-in page
        </Button>
      )}
    </Stack>
  );
}
