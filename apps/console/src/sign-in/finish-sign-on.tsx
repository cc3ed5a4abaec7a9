import { Alert, Button, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { api } from '../api/client.ts';
import { InlineError } from '../components/states/states.tsx';
import { paths } from '../paths.ts';
import type { Callback } from './callback.ts';

interface Props {
  callback: Callback;
  onToken: (token: string) => void;
}

/** Exchanges the provider's code for a session, once. */
export function FinishSignOn({ callback, onToken }: Props) {
  const { code = '', state = '', error: refusal } = callback;
  const { mutate, error: failure } = useMutation({
    mutationFn: () => api.internal.openIDConnectLogin({ code, state }),
    onSuccess: ({ jwtToken }) => onToken(jwtToken),
  });
  const isAsked = useRef(false);
  useEffect(() => {
    if (refusal || isAsked.current) return;
    isAsked.current = true;
    mutate();
  }, [mutate, refusal]);

  const error = refusal ? new Error(explainRefusal(refusal)) : failure;
  if (!error) return <Alert role="status">Signing in ...</Alert>;
  return (
    <Stack>
      <InlineError error={error} />
      <Button component="a" href={paths.login()} variant="default">
        Back to the sign-in page
      </Button>
    </Stack>
  );
}

/** Does not show the text of the address, which anybody may have written. */
function explainRefusal(error: string): string {
  const what = error === 'access_denied' ? 'did not let you in' : 'did not finish the sign-in';
  return `The sign-in provider ${what}. Try again, or ask an administrator.`;
}
