import type { JoinCheck, JoinFix } from '@hilltop/contract';
import { Button } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import type { OperationName } from '../../api/facts.ts';
import { perform } from '../../api/queries.ts';
import { paths } from '../../paths.ts';
import { useMay } from '../../session/session.tsx';
import { ConfirmDialog } from '../confirm/confirm-dialog.tsx';
import { LinkButton } from '../link/link.tsx';
import { useIDs } from '../link/use-ids.ts';
import { enable, recreate, takeKey } from './fixes.ts';

interface Props {
  check: JoinCheck;
  devEUI: string;
  applicationID: string;
  deviceProfileID: string;
}

type Change = 'ENABLE' | 'RECREATE' | 'USE_KEY' | 'CLEAR_DEV_NONCES';
type Leading = Exclude<JoinFix, Change | 'NONE'>;

/** What a fix needs, and how it is called. */
const changes: Record<Change, { label: string; question: string; done: string; needs: OperationName[] }> = {
  ENABLE: {
    label: 'Enable',
    question: 'The network-server then accepts its join-requests and uplinks.',
    done: 'device has been enabled',
    needs: ['device.update'],
  },
  RECREATE: {
    label: 'Recreate with this EUI',
    question:
      'The device is created again with the other EUI, its keys, name, tags and variables, and this one is deleted.',
    done: 'device has been created again',
    needs: ['device.create', 'device.delete', 'device.createKeys'],
  },
  USE_KEY: {
    label: 'Use that key',
    question: 'The key that fits replaces the stored one. The device joins with its next join-request.',
    done: 'device keys have been updated',
    needs: ['device.getKeys', 'device.updateKeys'],
  },
  CLEAR_DEV_NONCES: {
    label: 'Clear DevNonces',
    question: 'The device may then use earlier DevNonces again, except the latest 20.',
    done: 'device devNonce deleted',
    needs: ['device.clearDeviceNonces'],
  },
};

const leading: Record<Leading, { label: string; needs: OperationName }> = {
  SET_KEYS: { label: 'Set keys', needs: 'device.updateKeys' },
  OPEN_PROFILE: { label: 'Open the device-profile', needs: 'deviceProfile.get' },
  OPEN_GATEWAY: { label: 'Open the gateway', needs: 'gateway.get' },
};

/** Does what a finding asks for, after a confirmation where it changes something; nothing for users who may not. */
export function FixButton(props: Props) {
  const { fix } = props.check;
  if (fix === 'NONE') return null;
  return fix in changes ? <ChangeButton {...props} change={fix as Change} /> : <LeadButton {...props} />;
}

function LeadButton({ check, devEUI, applicationID, deviceProfileID }: Props) {
  const { organizationID } = useIDs();
  const may = useMay();
  const fix = check.fix as Leading;
  const { label, needs } = leading[fix];
  if (!may(needs)) return null;
  const to = {
    SET_KEYS: paths.deviceKeys(organizationID, applicationID, devEUI),
    OPEN_PROFILE: paths.deviceProfile.one(organizationID, deviceProfileID),
    OPEN_GATEWAY: paths.gateway.one(organizationID, check.parameters['gatewayID'] ?? ''),
  }[fix];
  return (
    <LinkButton size="compact-sm" variant="default" to={to}>
      {label}
    </LinkButton>
  );
}

function ChangeButton({ check, devEUI, applicationID, change }: Props & { change: Change }) {
  const { organizationID } = useIDs();
  const navigate = useNavigate();
  const may = useMay();
  const [isOpen, setOpen] = useState(false);
  const { label, question, done, needs } = changes[change];
  if (!needs.every((need) => may(need))) return null;
  const calls: Record<Change, () => Promise<unknown>> = {
    ENABLE: () => enable(devEUI),
    USE_KEY: () => takeKey(devEUI, check),
    CLEAR_DEV_NONCES: () => api.device.clearDeviceNonces({ devEUI }),
    RECREATE: () => recreate(devEUI, check.parameters['eui'] ?? ''),
  };
  const confirm = async () => {
    const isRecreated = change === 'RECREATE';
    await perform(calls[change](), {
      changed: isRecreated ? ['application', 'unknownDevice'] : ['device', 'joinDoctor'],
      ...(isRecreated && { gone: ['device'] as const }),
      done,
    });
    if (isRecreated)
      await navigate({ to: paths.device.one(organizationID, applicationID, check.parameters['eui'] ?? '') });
  };
  return (
    <>
      <Button size="compact-sm" variant="default" onClick={() => setOpen(true)}>
        {label}
      </Button>
      <ConfirmDialog
        opened={isOpen}
        onClose={() => setOpen(false)}
        title={`${label}?`}
        question={question}
        action={label}
        onConfirm={confirm}
      />
    </>
  );
}
