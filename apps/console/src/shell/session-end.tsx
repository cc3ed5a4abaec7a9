import { Button, CloseButton, Text } from '@mantine/core';
import { IconClockExclamation } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useCallback, useState } from 'react';
import { useSession } from '../session/session.tsx';
import { useSessionEnd } from '../session/use-session-end.ts';
import classes from './session-end.module.css';

const StaySignedIn = lazy(() => import('./stay-signed-in.tsx').then((m) => ({ default: m.StaySignedIn })));

const time = new Intl.DateTimeFormat('en', { timeStyle: 'short' });

/** Warns that the session is about to end, and offers to extend it. */
export function SessionEnd() {
  const { settings } = useSession();
  const queries = useQueryClient();
  const ask = useCallback(() => void queries.refetchQueries({ queryKey: ['internal', 'profile'] }), [queries]);
  const { endsAt, renewed } = useSessionEnd(ask);
  const [isAsking, setAsking] = useState(false);
  const [dismissed, setDismissed] = useState<number>();
  const bySingleSignOn = settings.openidConnect.enabled;

  return (
    <>
      <div className={classes.place} role="status">
        {endsAt !== undefined && dismissed !== endsAt && (
          <div className={classes.notice}>
            <IconClockExclamation size={20} aria-hidden />
            <Text className={classes.text}>
              Your session ends at {time.format(endsAt)}. Unsaved input is lost then.
            </Text>
            {!bySingleSignOn && (
              <Button size="xs" variant="default" onClick={() => setAsking(true)}>
                Stay signed in
              </Button>
            )}
            <CloseButton aria-label="Close this notice" onClick={() => setDismissed(endsAt)} />
          </div>
        )}
      </div>
      {isAsking && (
        <Suspense>
          <StaySignedIn onClose={() => setAsking(false)} onRenewed={renewed} />
        </Suspense>
      )}
    </>
  );
}
