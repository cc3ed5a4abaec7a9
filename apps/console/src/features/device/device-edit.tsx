import { useNavigate } from '@tanstack/react-router';
import { api } from '../../api/client.ts';
import { perform } from '../../api/queries.ts';
import { StayButton } from '../../components/form/stay-button.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import { Loaded } from '../../components/states/loaded.tsx';
import { paths } from '../../paths.ts';
import { useMay } from '../../session/session.tsx';
import { DeviceForm } from './device-form.tsx';
import { useDevice } from './use-device.ts';

export function DeviceEdit() {
  const { organizationID, applicationID, devEUI } = useIDs();
  const may = useMay();
  const navigate = useNavigate();
  return (
    <Loaded query={useDevice()}>
      {({ device }) => (
        <DeviceForm
          key={device.devEUI}
          initial={device}
          submit="Update device"
          stayButton={StayButton}
          disabled={!may('device.update')}
          onSubmit={(changed) =>
            perform(api.device.update({ device: changed }), { changed: ['device'], done: 'device has been updated' })
          }
          onSaved={() => void navigate({ to: paths.device.one(organizationID, applicationID, devEUI) })}
        />
      )}
    </Loaded>
  );
}
