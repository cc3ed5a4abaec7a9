import type { AlertSubscription, AlertUnsubscribedFrom } from '@hilltop/contract';
import { Button, Skeleton, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { api } from '../api/client.ts';
import { InlineError } from '../components/states/states.tsx';
import { MailPage } from './mail-page.tsx';
import { useMailToken } from './use-mail-token.ts';

function sentenceOf({ address, organizationName, ruleName, unsubscribedFrom }: AlertSubscription): string {
  const rule = ruleName === '' ? 'a deleted alert rule' : `the alert rule ${ruleName}`;
  if (unsubscribedFrom === 'ORGANIZATION') return `${address} gets no mails about alerts of ${organizationName}.`;
  const verb = unsubscribedFrom === 'RULE' ? 'gets no mails' : 'gets mails';
  return `${address} ${verb} of ${rule} of ${organizationName}.`;
}

/** Ends the mails of a rule or its organization. Buttons do it, because mail programs open links on their own. */
export function Unsubscribe() {
  const token = useMailToken();
  const [subscription, setSubscription] = useState<AlertSubscription | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const [pending, setPending] = useState<AlertUnsubscribedFrom | null>(null);
  useEffect(() => {
    if (token !== '') api.alertReceiver.getSubscription({ token }).then(setSubscription, setFailure);
  }, [token]);
  async function change(from: AlertUnsubscribedFrom) {
    setPending(from);
    setFailure(null);
    try {
      setSubscription(await api.alertReceiver.unsubscribe({ token, from }));
    } catch (error) {
      setFailure(error);
    } finally {
      setPending(null);
    }
  }
  return (
    <MailPage title="Unsubscribe">
      {token === '' && <Text>This address is not complete. Open the whole link of the mail.</Text>}
      {token !== '' && subscription === null && failure === null && <Skeleton height={110} />}
      {subscription && <Text role="status">{sentenceOf(subscription)}</Text>}
      <InlineError error={failure} />
      {subscription && <Choices subscription={subscription} pending={pending} change={(from) => void change(from)} />}
    </MailPage>
  );
}

interface ChoicesProps {
  subscription: AlertSubscription;
  pending: AlertUnsubscribedFrom | null;
  change: (from: AlertUnsubscribedFrom) => void;
}

function Choices({ subscription, pending, change }: ChoicesProps) {
  const { unsubscribedFrom, organizationName, ruleName } = subscription;
  const button = (from: AlertUnsubscribedFrom, text: string, variant: 'filled' | 'default') => (
    <Button
      fullWidth
      variant={variant}
      loading={pending === from}
      disabled={pending !== null && pending !== from}
      onClick={() => change(from)}
    >
      {text}
    </Button>
  );
  const hasRule = unsubscribedFrom === 'NOTHING' && ruleName !== '';
  return (
    <>
      {hasRule && button('RULE', 'Unsubscribe from this rule', 'filled')}
      {unsubscribedFrom !== 'ORGANIZATION' &&
        button('ORGANIZATION', `Unsubscribe from all alerts of ${organizationName}`, hasRule ? 'default' : 'filled')}
      {unsubscribedFrom !== 'NOTHING' && button('NOTHING', 'Get the mails again', 'default')}
    </>
  );
}
