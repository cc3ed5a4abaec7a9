import type { AddDeviceRequest, ApplicationListItem, DeviceProfileListItem } from '@hilltop/contract';
import { Alert, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { api } from '../../api/client.ts';
import { perform, query } from '../../api/queries.ts';
import { FirstStepDialog } from '../../components/first-step/first-step-dialog.tsx';
import { SelectField } from '../../components/form/fields.tsx';
import { MessageForm } from '../../components/form/message-form.tsx';
import { TextField } from '../../components/form/text-fields.tsx';
import { useMessageForm } from '../../components/form/use-message-form.ts';
import { HexField } from '../../components/hex-input/hex-field.tsx';
import { AppLink } from '../../components/link/link.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { FormSkeleton } from '../../components/states/form-skeleton.tsx';
import { Loaded } from '../../components/states/loaded.tsx';
import { paths } from '../../paths.ts';
import { useMay } from '../../session/session.tsx';
import { DeviceWaiting } from './device-waiting.tsx';
import { useProfileOf } from './use-device.ts';

/** One page to add a device: enter name and key, then watch it join and send its first value. */
export function AddDevice() {
  const { organizationID } = useIDs();
  const address: Record<string, string | undefined> = useSearch({ strict: false });
  const profiles = useQuery(query('deviceProfile', 'list', { organizationID, limit: 999, offset: 0 }));
  const applications = useQuery(query('application', 'list', { organizationID, limit: 999, offset: 0 }));
  const { device, application = '' } = address;
  return (
    <>
      <PageHeader
        crumbs={[{ label: 'Applications', to: paths.application.list(organizationID) }]}
        title="Add a device"
      />
      {device !== undefined ? (
        <DeviceWaiting key={device} devEUI={device} applicationID={application} />
      ) : (
        <Loaded query={profiles} skeleton={<FormSkeleton />}>
          {({ result: known }) => (
            <Loaded query={applications} skeleton={<FormSkeleton />}>
              {({ result }) => <AddForm profiles={known} applications={result} application={application} />}
            </Loaded>
          )}
        </Loaded>
      )}
    </>
  );
}

const newOne = 'new';

interface Props {
  profiles: readonly DeviceProfileListItem[];
  applications: readonly ApplicationListItem[];
  /** The application in the URL, if any. */
  application: string;
}

function AddForm({ profiles, applications, application }: Props) {
  const { organizationID } = useIDs();
  const navigate = useNavigate();
  const mayMake = useMay()('application.create');
  const form = useMessageForm<AddDeviceRequest>('AddDeviceRequest', {
    values: {
      organizationID,
      name: '',
      devEUI: '',
      deviceProfileID: usual(profiles),
      nwkKey: '',
      appKey: '',
      ...whereTo(applications, { application, mayMake }),
    },
  });
  const { devEUI, applicationID, deviceProfileID } = form.values;
  const profile = useProfileOf(deviceProfileID || undefined).data?.deviceProfile;
  const is11 = profile?.macVersion.startsWith('1.1') === true;
  const doesJoin = profile?.supportsJoin ?? true;
  const isNew = applicationID === newOne;

  const add = async (given: AddDeviceRequest) => {
    const where = isNew ? { applicationID: '0' } : { applicationName: '' };
    const answer = await perform(api.firstSteps.addDevice({ ...given, ...where }), {
      changed: ['device', 'application', 'firstSteps'],
      done: 'device has been created',
    });
    await navigate({
      to: '.',
      search: { device: devEUI.toLowerCase(), application: answer.applicationID } as never,
      replace: true,
      ignoreBlocker: true,
    });
  };

  return (
    <>
      <FirstStepDialog
        query={query('deviceProfile', 'list', { organizationID, limit: 0, offset: 0 })}
        title="Add a device-profile?"
        text="This organization has no device-profile yet. A device-profile describes a type of device; every device needs one."
        action="Create device-profile"
        to={paths.deviceProfile.create(organizationID)}
      />
      {applications.length === 0 && !mayMake && (
        <Alert color="yellow" mb="md" maw={720}>
          This organization has no application. An administrator can create one.
        </Alert>
      )}
      <MessageForm form={form} isNew submit="Add device" onSubmit={add}>
        <TextField name="name" />
        <HexField name="devEUI" bytes={8} random />
        <SelectField
          name="deviceProfileID"
          searchable
          placeholder="Choose ..."
          options={profiles.map(({ id, name }) => ({ value: id, label: name }))}
          validate={() => (doesJoin ? null : 'Devices of this profile do not join. Choose one with OTAA.')}
        />
        {doesJoin ? <Keys is11={is11} /> : <ABPHint />}
        <SelectField
          name="applicationID"
          required
          searchable
          placeholder="Choose ..."
          options={[
            ...applications.map(({ id, name }) => ({ value: id, label: name })),
            ...(mayMake ? [{ value: newOne, label: 'A new one' }] : []),
          ]}
        />
        {isNew && <TextField name="applicationName" required />}
      </MessageForm>
    </>
  );
}

function ABPHint() {
  const { organizationID } = useIDs();
  return (
    <Text c="dimmed" size="sm">
      Devices of this profile use ABP: they have a session from the start. Open their{' '}
      <AppLink to={paths.application.list(organizationID)}>application</AppLink> and create them there.
    </Text>
  );
}

function Keys({ is11 }: { is11: boolean }) {
  const help = is11
    ? '16 bytes, from which the network session keys are derived.'
    : '16 bytes, with which the device joins.';
  return (
    <>
      <HexField name="nwkKey" label={is11 ? 'Network key' : 'Application key'} help={help} bytes={16} random secret />
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

/** Preferred device-profiles: the names of the usual profiles. */
function usual(profiles: readonly DeviceProfileListItem[]): string {
  const named = (pattern: RegExp) => profiles.find(({ name }) => pattern.test(name));
  return (named(/OTAA class A 1\.0\.3/i) ?? named(/OTAA/i) ?? profiles[0])?.id ?? '';
}

/** The requested application, or the only one; a new one if there is none. */
function whereTo(
  applications: readonly ApplicationListItem[],
  { application, mayMake }: { application: string; mayMake: boolean },
): Pick<AddDeviceRequest, 'applicationID' | 'applicationName'> {
  const [only, ...others] = applications;
  const applicationName = 'first-application';
  if (!only) return { applicationID: mayMake ? newOne : '', applicationName };
  return { applicationID: application || (others.length === 0 ? only.id : ''), applicationName: '' };
}
