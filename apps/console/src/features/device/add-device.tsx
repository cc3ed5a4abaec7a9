import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { query } from '../../api/queries.ts';
import { FirstStepDialog } from '../../components/first-step/first-step-dialog.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { FormSkeleton } from '../../components/states/form-skeleton.tsx';
import { Loaded } from '../../components/states/loaded.tsx';
import { StepBar } from '../../components/steps/step-bar.tsx';
import { paths } from '../../paths.ts';
import { AddDeviceForm, formSteps } from './add-device-form.tsx';
import type { AddedDevice } from './add-device-values.ts';
import { DeviceWaiting } from './device-waiting.tsx';

const steps = [...formSteps, 'Watch it join'];

/** One page to add a device: read its label, choose its model, enter its key, then watch it join and send. */
export function AddDevice() {
  const { organizationID } = useIDs();
  const address: Record<string, string | undefined> = useSearch({ strict: false });
  const profiles = useQuery(
    query('deviceProfile', 'list', { organizationID, limit: 999, offset: 0, include: 'details' }),
  );
  const applications = useQuery(query('application', 'list', { organizationID, limit: 999, offset: 0 }));
  const { device, application = '', eui = '', server } = address;
  const [previous, setPrevious] = useState<AddedDevice>();
  return (
    <>
      <PageHeader
        crumbs={[{ label: 'Applications', to: paths.application.list(organizationID) }]}
        title="Add a device"
      />
      {device !== undefined ? (
        <>
          <StepBar label="Steps" steps={steps} current={formSteps.length} />
          <DeviceWaiting key={device} devEUI={device} applicationID={application} />
        </>
      ) : (
        <Loaded query={profiles} skeleton={<FormSkeleton />}>
          {({ result: known }) => (
            <Loaded query={applications} skeleton={<FormSkeleton />}>
              {({ result }) => (
                <>
                  <FirstStepDialog
                    query={query('deviceProfile', 'list', { organizationID, limit: 0, offset: 0 })}
                    title="Add a device-profile?"
                    text="This organization has no device-profile yet. A device-profile describes a type of device; every device needs one."
                    action="Create device-profile"
                    to={paths.deviceProfile.create(organizationID)}
                  />
                  <AddDeviceForm
                    profiles={known}
                    applications={result}
                    application={application}
                    received={eui === '' ? undefined : { devEUI: eui, networkServerID: server }}
                    steps={steps}
                    previous={previous}
                    onAdded={setPrevious}
                  />
                </>
              )}
            </Loaded>
          )}
        </Loaded>
      )}
    </>
  );
}
