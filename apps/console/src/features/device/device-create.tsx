import type { Device } from '@hilltop/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useRef } from 'react';
import { api } from '../../api/client.ts';
import { perform, query } from '../../api/queries.ts';
import { FirstStepDialog } from '../../components/first-step/first-step-dialog.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { useApplicationCrumbs } from '../../components/page-header/use-application-crumbs.ts';
import { paths } from '../../paths.ts';
import { DeviceForm } from './device-form.tsx';

const empty: Device = {
  devEUI: '',
  name: '',
  applicationID: '',
  description: '',
  deviceProfileID: '',
  skipFCntCheck: false,
  referenceAltitude: 0,
  variables: {},
  tags: {},
  isDisabled: false,
};

/** Creates a device and continues with its keys (OTAA) or its session (ABP). */
export function DeviceCreate() {
  const { organizationID, applicationID } = useIDs();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const next = useRef('');
  const crumbs = useApplicationCrumbs();

  const create = async (device: Device) => {
    const { deviceProfile } = await queryClient.fetchQuery(
      query('deviceProfile', 'get', { id: device.deviceProfileID }),
    );
    const address = deviceProfile.supportsJoin ? paths.deviceKeys : paths.deviceActivation;
    next.current = address(organizationID, applicationID, device.devEUI.toLowerCase());
    await perform(api.device.create({ device }), { changed: ['device'], done: 'device has been created' });
  };

  return (
    <>
      <PageHeader crumbs={crumbs} title="Create device" />
      <FirstStepDialog
        query={query('deviceProfile', 'list', { applicationID, limit: 0, offset: 0 })}
        title="Add a device-profile?"
        text="This application has no device-profile to choose from yet. A device-profile describes a type of device; every device needs one."
        action="Create device-profile"
        to={paths.deviceProfile.create(organizationID)}
      />
      <DeviceForm
        initial={{ ...empty, applicationID }}
        isNew
        submit="Create device"
        onSubmit={create}
        onSaved={() => void navigate({ to: next.current })}
      />
    </>
  );
}
