import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { api } from '../api/client.ts';
import { explain } from '../api/explain.ts';
import { MailPage } from './mail-page.tsx';
import { useMailToken } from './use-mail-token.ts';

/** Confirms an e-mail address for alerts. A button does it, because mail programs open links on their own. */
export function ConfirmAddress() {
  const token = useMailToken();
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
    <MailPage title="Confirm address">
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
    </MailPage>
  );
}
