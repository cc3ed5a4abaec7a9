import type { DeviceActivation as Activation } from '@hilltop/contract';
import { Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { api } from '../../api/client.ts';
import { perform } from '../../api/queries.ts';
import { NumberField } from '../../components/form/fields.tsx';
import { MessageForm } from '../../components/form/message-form.tsx';
import { useMessageForm } from '../../components/form/use-message-form.ts';
import { HexField } from '../../components/hex-input/hex-field.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import { paths } from '../../paths.ts';

interface Props {
  /** Null when the device has no session. */
  stored: Activation | null;
  is11: boolean;
  isEditable: boolean;
}

const empty: Omit<Activation, 'devEUI'> = {
  devAddr: '',
  appSKey: '',
  nwkSEncKey: '',
  sNwkSIntKey: '',
  fNwkSIntKey: '',
  fCntUp: 0,
  nFCntDown: 0,
  aFCntDown: 0,
};

/**
 * The fields of a session in the order of the LoRaWAN version; 1.0 has one network session key and one downlink
 * counter.
 */
export function ActivationForm({ stored, is11, isEditable }: Props) {
  const { organizationID, applicationID, devEUI } = useIDs();
  const navigate = useNavigate();
  const form = useMessageForm<Activation>('DeviceActivation', { values: stored ?? { ...empty, devEUI } });
  const random = isEditable;
  const hasKeys = isEditable || stored === null || stored.nwkSEncKey !== '';
  const fetchDevAddr = async () => (await perform(api.device.getRandomDevAddr({ devEUI }))).devAddr;
  const activate = (values: Activation) =>
    perform(api.device.activate({ deviceActivation: is11 ? values : withOneNetworkKey(values) }), {
      changed: ['device', 'deviceQueue'],
      done: 'device has been (re)activated',
    });
  return (
    <MessageForm
      form={form}
      submit="(Re)activate device"
      disabled={!isEditable}
      onSubmit={activate}
      onSaved={() => void navigate({ to: paths.application.one(organizationID, applicationID) })}
    >
      <HexField name="devAddr" bytes={4} random={isEditable && fetchDevAddr} />
      {hasKeys ? (
        <>
          <HexField
            name="nwkSEncKey"
            label={is11 ? 'Network session encryption key' : 'Network session key'}
            help=""
            bytes={16}
            random={random}
            secret
          />
          {is11 && <HexField name="sNwkSIntKey" bytes={16} random={random} secret />}
          {is11 && <HexField name="fNwkSIntKey" bytes={16} random={random} secret />}
          <HexField name="appSKey" bytes={16} random={random} secret />
        </>
      ) : (
        <Text c="dimmed">Session keys are shown to users who may send downlinks.</Text>
      )}
      <NumberField name="fCntUp" required />
      <NumberField name="nFCntDown" required />
      {is11 && <NumberField name="aFCntDown" required />}
    </MessageForm>
  );
}

/** LoRaWAN 1.0 has one network session key in place of three. */
function withOneNetworkKey(values: Activation): Activation {
  return { ...values, sNwkSIntKey: values.nwkSEncKey, fNwkSIntKey: values.nwkSEncKey };
}
