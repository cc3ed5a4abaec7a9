import type { DeviceKeys as Keys } from '@hilltop/contract';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api } from '../../api/client.ts';
import { perform, query } from '../../api/queries.ts';
import { MessageForm } from '../../components/form/message-form.tsx';
import { useMessageForm } from '../../components/form/use-message-form.ts';
import { HexField } from '../../components/hex-input/hex-field.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import { EmptyState } from '../../components/states/empty-state.tsx';
import { Loaded } from '../../components/states/loaded.tsx';
import { Explained } from '../../components/words/explained.tsx';
import { paths } from '../../paths.ts';
import { orNone, useDeviceAndProfile } from './use-device.ts';

/** The root keys of an OTAA device. LoRaWAN 1.0 has one, labelled application key and stored as nwkKey. */
export function DeviceKeys() {
  const { devEUI } = useIDs();
  const { profile } = useDeviceAndProfile();
  const keys = useQuery(orNone(query('device', 'getKeys', { devEUI })));
  return (
    <Loaded query={profile}>
      {({ deviceProfile }) =>
        deviceProfile.supportsJoin ? (
          <Loaded query={keys}>
            {(answer) => (
              <KeysForm stored={answer?.deviceKeys ?? null} is11={deviceProfile.macVersion.startsWith('1.1')} />
            )}
          </Loaded>
        ) : (
          <EmptyState title="This device has no root keys">
            Its device-profile does not support OTAA. The session keys are on the Activation tab.
          </EmptyState>
        )
      }
    </Loaded>
  );
}

function KeysForm({ stored, is11 }: { stored: Keys | null; is11: boolean }) {
  const { organizationID, applicationID, devEUI } = useIDs();
  const navigate = useNavigate();
  const form = useMessageForm<Keys>('DeviceKeys', {
    values: stored ?? { devEUI, nwkKey: '', appKey: '', genAppKey: '' },
  });
  const save = (deviceKeys: Keys) =>
    stored === null
      ? perform(api.device.createKeys({ deviceKeys }), { changed: ['device'], done: 'device-keys have been created' })
      : perform(api.device.updateKeys({ deviceKeys }), { changed: ['device'], done: 'device-keys have been updated' });
  return (
    <MessageForm
      form={form}
      submit="Set device-keys"
      onSubmit={save}
      onSaved={() => void navigate({ to: paths.device.one(organizationID, applicationID, devEUI) })}
    >
      <Explained word="byteOrder" />
      <HexField
        name="nwkKey"
        label={is11 ? 'Network key' : 'Application key'}
        help={
          is11 ? '16 bytes, from which the network session keys are derived.' : '16 bytes, with which the device joins.'
        }
        bytes={16}
        random
        secret
      />
      {is11 && (
        <HexField
          name="appKey"
          label="Application key"
          help="16 bytes, from which the application session key is derived."
          bytes={16}
          required
          random
          secret
        />
      )}
    </MessageForm>
  );
}
