import { Button, Paper, Stack, Text, Title } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../api/client.ts';
import { explain } from '../api/explain.ts';
import { Logo } from '../shell/logo.tsx';
import classes from './login.module.css';

/** Confirms an e-mail address for alerts. A button does it, because mail programs open links on their own. */
export function ConfirmAddress() {
  const { token = '' }: { token?: string } = useSearch({ strict: false });
  const [isPending, setPending] = useState(false);
  const [result, setResult] = useState('');
  const [failure, setFailure] = useState('');
  async function confirm() {
    setPending(true);
    setFailure('');
    try {
      const { address, organizationName } = await api.alertReceiver.confirm({ token });
      setResult(`${address} gets the alerts of ${organizationName} from now on.`);
    } catch (error) {
      setFailure(explain(error));
    } finally {
      setPending(false);
    }
  }
  return (
    <main className={classes.page}>
      <title>Confirm address · Hilltop</title>
      <Paper className={classes.card} p="lg" shadow="sm">
        <div className={classes.head}>
          <Logo size={36} />
          <Title order={1}>Alerts by mail</Title>
        </div>
        <Stack mt="md">
          {result !== '' ? (
            <Text role="status">{result}</Text>
          ) : (
            <>
              <Text>An organization wants to send alerts of its devices and gateways to your address.</Text>
              {failure !== '' && (
                <Text role="alert" c="red">
                  {failure}
                </Text>
              )}
              <Button fullWidth loading={isPending} disabled={token === ''} onClick={() => void confirm()}>
                Confirm my address
              </Button>
            </>
          )}
        </Stack>
      </Paper>
    </main>
  );
}
