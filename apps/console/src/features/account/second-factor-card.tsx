import type { SecondFactor } from '@hilltop/contract';
import { Alert, Button, Group, Paper, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { LongDate } from '../../components/last-seen/long-date.tsx';
import { Status } from '../../components/status/status.tsx';
import { ProofDialog } from './proof-dialog.tsx';
import { RecoveryCodesDialog } from './recovery-codes-dialog.tsx';
import { SetUpDialog } from './set-up-dialog.tsx';

type Dialog = 'set-up' | 'turn-off' | 'new-codes';

/** The second factor of the signed-in user. */
export function SecondFactorCard({ state }: { state: SecondFactor }) {
  const [open, setOpen] = useState<Dialog>();
  const [codes, setCodes] = useState<readonly string[]>();
  const close = () => setOpen(undefined);
  const showCodes = (recoveryCodes: readonly string[]) => {
    close();
    setCodes(recoveryCodes);
  };
  return (
    <Paper component="section" aria-label="Second factor">
      <Title order={2} mb={4}>
        Second factor
      </Title>
      {state.isRequired && !state.isOn && (
        <Alert color="yellow" mb="sm">
          This server requires a second factor of your account. Until you have set it up, you can do nothing else.
        </Alert>
      )}
      {!state.isAvailable ? (
        <Text>You sign in by single sign-on. Your provider asks for a second factor.</Text>
      ) : state.isOn ? (
        <>
          <Status tone="active">On</Status> since <LongDate at={state.since} />
          <Text mt="xs" mb="md">
            Signing in asks for a code of your authenticator app. {recoveryText(state.recoveryCodesLeft)}
          </Text>
          <Group>
            <Button variant="default" onClick={() => setOpen('new-codes')}>
              New recovery codes
            </Button>
            <Button variant="default" color="red" onClick={() => setOpen('turn-off')}>
              Turn off
            </Button>
          </Group>
        </>
      ) : (
        <>
          <Text mb="md">
            With a second factor, a stolen password is not enough to sign in: you also enter a code that an app on your
            phone shows.
          </Text>
          <Button onClick={() => setOpen('set-up')}>Set up a second factor</Button>
        </>
      )}
      {open === 'set-up' && <SetUpDialog onClose={close} onDone={showCodes} />}
      {open === 'turn-off' && <ProofDialog kind="turn-off" onClose={close} />}
      {open === 'new-codes' && <ProofDialog kind="new-codes" onClose={close} onCodes={showCodes} />}
      {codes && <RecoveryCodesDialog codes={codes} onClose={() => setCodes(undefined)} />}
    </Paper>
  );
}

function recoveryText(left: number): string {
  if (left === 0) return 'No recovery code is left: create new ones.';
  return left === 1 ? '1 recovery code is left.' : `${left} recovery codes are left.`;
}
