import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api } from '../../api/client.ts';
import { perform, query } from '../../api/queries.ts';
import { DeleteButton } from '../../components/confirm/delete-button.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { Loaded } from '../../components/states/loaded.tsx';
import { paths } from '../../paths.ts';
import { useMay } from '../../session/session.tsx';
import { DeviceProfileForm } from './device-profile-form.tsx';
import { fromValues, toValues } from './device-profile-values.ts';

export function DeviceProfileEdit() {
  const { organizationID, deviceProfileID } = useIDs();
  const may = useMay();
  const navigate = useNavigate();
  const toList = () => void navigate({ to: paths.deviceProfiles(organizationID) });
  return (
    <Loaded query={useQuery(query('deviceProfile', 'get', { id: deviceProfileID }))}>
      {({ deviceProfile }) => (
        <>
          <PageHeader
            crumbs={[{ label: 'Device-profiles', to: paths.deviceProfiles(organizationID) }]}
            title={deviceProfile.name}
            actions={
              may('deviceProfile.delete') && (
                <DeleteButton
                  question="Are you sure you want to delete this device-profile?"
                  name={deviceProfile.name}
                  onDelete={() =>
                    perform(api.deviceProfile.delete({ id: deviceProfileID }), {
                      gone: ['deviceProfile'],
                      done: 'device-profile has been deleted',
                    })
                  }
                  onDone={toList}
                />
              )
            }
          />
          <DeviceProfileForm
            key={deviceProfile.id}
            initial={toValues(deviceProfile)}
            organizationID={organizationID}
            submit="Update device-profile"
            disabled={!may('deviceProfile.update')}
            onSubmit={(values) =>
              perform(api.deviceProfile.update({ deviceProfile: fromValues(values) }), {
                changed: ['deviceProfile'],
                done: 'device-profile has been updated',
              })
            }
            onSaved={toList}
          />
        </>
      )}
    </Loaded>
  );
}
