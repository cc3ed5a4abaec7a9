import type { Operations, ResponseOf } from '@hilltop/contract';
import { Alert, Button } from '@mantine/core';
import { IconCheck, IconInfoCircle, IconSend, IconX } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { Disclosure } from '../../components/disclosure/disclosure.tsx';
import { InlineError } from '../../components/states/states.tsx';
import type { Delivered } from './delivered.ts';
import classes from './integration.module.css';
import type { Config } from './kinds.ts';

type Result = ResponseOf<Operations['delivery']['test']>;

/** Sends one event with the configuration in the form, before it is saved. */
export function useTestDelivery(of: Delivered, config: () => Config | null) {
  const test = useMutation({
    mutationFn: (values: Config) => api.delivery.test({ ...of, configJSON: JSON.stringify(values) }),
  });
  const send = () => {
    const values = config();
    if (values) test.mutate(values);
  };
  const button = (
    <Button variant="default" leftSection={<IconSend size={16} />} loading={test.isPending} onClick={send}>
      Test
    </Button>
  );
  const result = (
    <>
      <InlineError error={test.error} />
      {test.data && <TestResult result={test.data} />}
    </>
  );
  return { button, result };
}

/** Advice for a failure, by outcome. */
function adviceOn(status: number): string {
  if (status === 0) return 'No response: check the address, and whether this server can reach it.';
  if (status === 401 || status === 403) return 'The endpoint rejects the credentials.';
  if (status === 404 || status === 405) return 'The endpoint does not know this path: check the address.';
  if (status === 410) return 'The endpoint reports that it no longer exists.';
  if (status === 413) return 'The event is too large for the endpoint.';
  if (status === 429) return 'The endpoint limits requests. Hilltop would retry the event later.';
  if (status >= 500) return 'The endpoint has an internal error. Hilltop would retry the event later.';
  if (status >= 300 && status < 400) return 'The endpoint redirects: enter the target address.';
  return 'The endpoint rejects the event: check the encoding and the headers.';
}

export function TestResult({ result }: { result: Result }) {
  const { delivered, status, message, milliseconds, isMadeUp, requests, sent, excerpt } = result;
  if (delivered && requests === 0)
    return (
      <Alert role="status" color="yellow" icon={<IconInfoCircle />} title="Nothing was sent">
        {message || 'This integration sends nothing for this type of event, or has no address for it.'}
      </Alert>
    );
  const title = delivered ? 'Delivered' : 'Not delivered';
  const facts = [status > 0 && `Status ${status}`, `${milliseconds} ms`, isMadeUp && 'an example event'].filter(
    Boolean,
  );
  return (
    <Alert
      role="status"
      color={delivered ? 'petrol' : 'red'}
      icon={delivered ? <IconCheck /> : <IconX />}
      title={`${title} · ${facts.join(' · ')}`}
    >
      {message && <p className={classes.sentence}>{message}</p>}
      {!delivered && (status > 0 || !message) && <p className={classes.sentence}>{adviceOn(status)}</p>}
      {excerpt && (
        <>
          <b>Answer</b>
          <pre className={classes.line}>{excerpt}</pre>
        </>
      )}
      {sent && (
        <Disclosure label="What was sent">
          <pre className={classes.line}>{sent}</pre>
        </Disclosure>
      )}
    </Alert>
  );
}
