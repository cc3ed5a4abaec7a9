import { Stack } from '@mantine/core';
import { useIDs } from '../../components/link/use-ids.ts';
import { EmptyState } from '../../components/states/empty-state.tsx';
import { Loaded } from '../../components/states/loaded.tsx';
import { useMay } from '../../session/session.tsx';
import { ActivationForm } from './activation-form.tsx';
import { ClearDevNonce } from './clear-dev-nonce.tsx';
import { useActivation, useDeviceAndProfile } from './use-device.ts';

/** The session of a device: entered here for ABP, read-only for OTAA. */
export function DeviceActivation() {
  const { devEUI } = useIDs();
  const may = useMay();
  const { profile } = useDeviceAndProfile();
  const activation = useActivation();
  return (
    <Loaded query={profile}>
      {({ deviceProfile: { supportsJoin, macVersion } }) => (
        <Loaded query={activation}>
          {(answer) => {
            const isActivated = Boolean(answer?.deviceActivation.devAddr);
            return (
              <Stack align="stretch">
                {supportsJoin && !isActivated ? (
                  <EmptyState title="This device has not (yet) been activated.">
                    Its session appears here after it has joined.
                  </EmptyState>
                ) : (
                  <ActivationForm
                    key={answer?.deviceActivation.devAddr}
                    stored={answer?.deviceActivation ?? null}
                    is11={macVersion.startsWith('1.1')}
                    isEditable={!supportsJoin && may('device.activate')}
                  />
                )}
                {may('device.clearDeviceNonces') && <ClearDevNonce devEUI={devEUI} />}
              </Stack>
            );
          }}
        </Loaded>
      )}
    </Loaded>
  );
}
