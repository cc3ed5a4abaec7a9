import type { AddDeviceRequest } from '@hilltop/contract';
import type { DeviceLabel } from '@hilltop/lorawan/tr005';
import { Group, Stack, Text } from '@mantine/core';
import { Disclosure } from '../../components/disclosure/disclosure.tsx';
import { CurrentPosition } from '../../components/form/current-position.tsx';
import { NumberField } from '../../components/form/fields.tsx';
import { TextField } from '../../components/form/text-fields.tsx';
import type { MessageFormState } from '../../components/form/use-message-form.ts';
import { HexField } from '../../components/hex-input/hex-field.tsx';
import { KeyValueField } from '../../components/key-value-input/key-value-field.tsx';

const decimals = 6;

interface Props {
  form: MessageFormState<AddDeviceRequest>;
  label: DeviceLabel | undefined;
  /** Undefined while it is read. */
  profileName: string | undefined;
  /** LoRaWAN 1.1 has two root keys. */
  is11: boolean;
}

/** Name and root keys; tags and position are optional. */
export function KeyStep({ form, label, profileName, is11 }: Props) {
  return (
    <>
      <Text c="dimmed" size="sm">
        Device-profile: {profileName ?? '...'}
      </Text>
      <TextField name="name" />
      <Keys is11={is11} isMissing={label !== undefined && label.key === undefined} />
      <Disclosure label={`Tags (${Object.keys(form.values.tags).length}) and position`}>
        <Stack gap="md" mt="xs">
          <KeyValueField name="tags" noun="tag" />
          <Position form={form} />
        </Stack>
      </Disclosure>
    </>
  );
}

function Keys({ is11, isMissing }: { is11: boolean; isMissing: boolean }) {
  const use = is11
    ? '16 bytes, from which the network session keys are derived.'
    : '16 bytes, with which the device joins.';
  const source = ' The scanned code has no key: it is on the label or in the papers of the device.';
  return (
    <>
      <HexField
        name="nwkKey"
        label={is11 ? 'Network key' : 'Application key'}
        help={isMissing ? use + source : use}
        bytes={16}
        random
        secret
      />
      {is11 && (
        <HexField
          name="appKey"
          help="16 bytes, from which the application session key is derived."
          bytes={16}
          required
          random
          secret
        />
      )}
    </>
  );
}

function Position({ form }: { form: MessageFormState<AddDeviceRequest> }) {
  const { latitude, longitude } = form.values.location ?? {};
  const place = (north: number, east: number) => {
    form.set('location.latitude', Number(north.toFixed(decimals)));
    form.set('location.longitude', Number(east.toFixed(decimals)));
  };
  return (
    <Stack gap="xs">
      <Group grow align="flex-start">
        <NumberField
          name="location.latitude"
          unit="°"
          decimals={decimals}
          placeholder="Not set"
          required={typeof longitude === 'number'}
        />
        <NumberField
          name="location.longitude"
          unit="°"
          decimals={decimals}
          placeholder="Not set"
          required={typeof latitude === 'number'}
        />
      </Group>
      <CurrentPosition onPlace={place} />
    </Stack>
  );
}
