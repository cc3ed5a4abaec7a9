import { useNavigate } from '@tanstack/react-router';
import { api } from '../../api/client.ts';
import { perform } from '../../api/queries.ts';
import { NeedsServiceProfile } from '../../components/first-step/needs-service-profile.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { paths } from '../../paths.ts';
import { DeviceProfileForm } from './device-profile-form.tsx';
import { emptyDeviceProfile, fromValues } from './device-profile-values.ts';

export function DeviceProfileCreate() {
  const { organizationID } = useIDs();
  const navigate = useNavigate();
  return (
    <>
      <PageHeader
        crumbs={[{ label: 'Device-profiles', to: paths.deviceProfiles(organizationID) }]}
        title="Create device-profile"
      />
      <NeedsServiceProfile organizationID={organizationID} />
      <DeviceProfileForm
        initial={emptyDeviceProfile}
        organizationID={organizationID}
        isNew
        submit="Create device-profile"
        onSubmit={(values) =>
          perform(api.deviceProfile.create({ deviceProfile: { ...fromValues(values), organizationID } }), {
            changed: ['deviceProfile'],
            done: 'device-profile has been created',
          })
        }
        onSaved={() => void navigate({ to: paths.deviceProfiles(organizationID) })}
      />
    </>
  );
}
