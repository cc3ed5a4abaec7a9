import { Button, Paper, Skeleton, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useEffect, useState } from 'react';
import { api } from '../api/client.ts';
import { query } from '../api/queries.ts';
import { queryClient } from '../api/query-client.ts';
import { MessageForm } from '../components/form/message-form.tsx';
import { PasswordField, TextField } from '../components/form/text-fields.tsx';
import { useMessageForm } from '../components/form/use-message-form.ts';
import { paths } from '../paths.ts';
import { knownSettings } from '../session/settings.ts';
import { clearToken, readWantedWhy, storeToken, takeWanted, type WantedWhy, watchToken } from '../session/storage.ts';
import { Branding } from '../shell/branding.tsx';
import { Logo } from '../shell/logo.tsx';
import { type Callback, isCallback } from './callback.ts';
import classes from './login.module.css';
import { needsCode } from './needs-code.ts';

const FinishSignOn = lazy(() => import('./finish-sign-on.tsx').then((module) => ({ default: module.FinishSignOn })));
const CodeForm = lazy(() => import('./code-form.tsx').then((module) => ({ default: module.CodeForm })));
const FirstStart = lazy(() => import('./first-start.tsx').then((module) => ({ default: module.FirstStart })));

const reasons: Record<WantedWhy, string> = {
  'not-signed-in': 'Sign in to open the page you requested.',
  ended: 'Your session has ended. Sign in to return to your page.',
  'ended-unsaved': 'Your session has ended and unsaved input is lost. Sign in to return to your page.',
};

/** What everybody may read, and what so survives the end of a session. */
const publicReads = ['settings', 'getSignInPage'];

/** The name of the installation and whether it is new; null when the server does not tell. */
const aboutInstallation = {
  queryKey: ['session', 'getSignInPage'],
  queryFn: async () => ((await api.session.getSignInPage.isOffered()) ? await api.session.getSignInPage({}) : null),
  staleTime: Infinity,
};

/** Sign-in by password, or by the button of the provider when single sign-on is enabled. */
export function Login() {
  const navigate = useNavigate();
  const callback: Callback = useSearch({ strict: false });
  const settings = useQuery({ ...query('internal', 'settings', {}), staleTime: Infinity });

  const { data: installation } = useQuery(aboutInstallation);

  useEffect(() => {
    clearToken();
    queryClient.removeQueries({ predicate: ({ queryKey }) => !publicReads.includes(String(queryKey[1])) });
  }, []);

  const goOn = useCallback(() => void navigate({ to: takeWanted() ?? paths.start(), replace: true }), [navigate]);
  // Another tab has signed in.
  useEffect(() => watchToken((token) => token !== null && goOn()), [goOn]);

  function enter(token: string) {
    storeToken(token);
    goOn();
  }

  const why = readWantedWhy();
  const { branding, openidConnect: provider } = knownSettings(settings.data);
  return (
    <main className={classes.page}>
      <title>Sign in · Hilltop</title>
      <Paper className={classes.card} p="lg" shadow="sm">
        <div className={classes.head}>
          <Logo size={36} />
          <div className={classes.names}>
            <Title order={1}>Hilltop Login</Title>
            <Text c="dimmed">{installation?.installationName || location.hostname}</Text>
          </div>
        </div>
        {why && !isCallback(callback) && <Text className={classes.why ?? ''}>{reasons[why]}</Text>}
        {isCallback(callback) ? (
          <Suspense fallback={<Skeleton height={60} />}>
            <FinishSignOn callback={callback} onToken={enter} />
          </Suspense>
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
        {installation?.isFirstStart && !provider.enabled && (
          <Suspense>
            <FirstStart />
          </Suspense>
        )}
      </Paper>
    </main>
  );
}

function PasswordForm({ onToken }: { onToken: (token: string) => void }) {
  const form = useMessageForm('LoginRequest', { values: { email: '', password: '' } });
  const [first, setFirst] = useState<{ email: string; password: string }>();
  if (first)
    return (
      <Suspense fallback={<Skeleton height={210} />}>
        <CodeForm {...first} onToken={onToken} />
      </Suspense>
    );
  return (
    <MessageForm
      form={form}
      submit="Login"
      bare
      guarded={false}
      onSubmit={async (values) => {
        try {
          onToken((await api.internal.login(values)).jwt);
        } catch (error) {
          if (!needsCode(error)) throw error;
          setFirst(values);
        }
      }}
    >
      {/* oxlint-disable-next-line jsx-a11y/no-autofocus -- the page has no other purpose */}
      <TextField name="email" autoComplete="username" autoFocus />
      <PasswordField name="password" autoComplete="current-password" />
    </MessageForm>
  );
}
