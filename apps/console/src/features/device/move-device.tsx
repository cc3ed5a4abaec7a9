import type { ApplicationListItem, Device } from '@hilltop/contract';
import { Button, Group, Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { api } from '../../api/client.ts';
import { perform, query } from '../../api/queries.ts';
import { useOffered } from '../../api/use-offered.ts';
import { useIDs } from '../../components/link/use-ids.ts';
import { ErrorState, InlineError } from '../../components/states/states.tsx';
import { paths } from '../../paths.ts';
import { useSession } from '../../session/session.tsx';

interface Props {
  device: Device;
  onClose: () => void;
  onOtherOrganization: () => void;
}

/** Moves a device to another application with the same service-profile. */
export function MoveDevice({ device, onClose, onOtherOrganization }: Props) {
  const { organizationID } = useIDs();
  const { user, organizations } = useSession();
  const mayMoveAway = useOffered('job', 'create', false) && (user.isAdmin || organizations.length > 1);
  const navigate = useNavigate();
  const [applicationID, setApplicationID] = useState<string | null>(null);
  const [isPending, setPending] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const applications = useQuery(query('application', 'list', { organizationID, limit: 999, offset: 0 }));
  const current = useQuery(query('application', 'get', { id: device.applicationID }));
  const error = applications.error ?? current.error;
  if (error)
    return <ErrorState error={error} retry={() => void Promise.all([applications.refetch(), current.refetch()])} />;

  async function move(event: FormEvent) {
    event.preventDefault();
    if (applicationID === null) return;
    setPending(true);
    setFailure(null);
    try {
      await perform(api.device.update({ device: { ...device, applicationID } }), {
        changed: ['device', 'multicastGroup'],
        done: 'device has been moved',
      });
      onClose();
      void navigate({ to: paths.device.one(organizationID, applicationID, device.devEUI) });
    } catch (refusal) {
      setFailure(refusal);
      setPending(false);
    }
  }

  const isLoaded = applications.data !== undefined && current.data !== undefined;
  return (
    <form onSubmit={(event) => void move(event)}>
      <Stack gap="sm">
        <Text>
          Its session, queue and history go with it. It leaves its multicast-groups, which belong to the application.
        </Text>
        <ApplicationSelect
          current={current.data?.application}
          applications={applications.data?.result}
          value={applicationID}
          onChange={setApplicationID}
        />
        <InlineError error={failure} />
        <Group justify="flex-end" gap="xs">
          {mayMoveAway && (
            <Button variant="subtle" onClick={onOtherOrganization} disabled={isPending} mr="auto">
              Another organization
            </Button>
          )}
          <Button variant="default" onClick={onClose} disabled={isPending}>
            Cancel
          </Button>
          <Button type="submit" loading={isPending} disabled={applicationID === null || !isLoaded}>
            Move
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

interface ApplicationSelectProps {
  /** The application of the device; undefined while it is loaded, as are the others. */
  current: { id: string; serviceProfileID: string } | undefined;
  applications: readonly ApplicationListItem[] | undefined;
  value: string | null;
  onChange: (applicationID: string | null) => void;
}

/** The applications that can have the device; those with another service-profile are disabled. */
function ApplicationSelect({ current, applications, value, onChange }: ApplicationSelectProps) {
  const isLoaded = current !== undefined && applications !== undefined;
  const others = (isLoaded ? applications : []).filter(({ id }) => id !== current!.id);
  const fits = (one: { serviceProfileID: string }) => one.serviceProfileID === current?.serviceProfileID;
  return (
    <Select
      label="Application"
      description={
        others.every(fits)
          ? undefined
          : 'Applications with another service-profile cannot have it: their features and network-server may differ.'
      }
      placeholder={isLoaded ? 'Choose ...' : 'Loading ...'}
      nothingFoundMessage="There is no other application."
      data={others.map((one) => ({
        value: one.id,
        label: fits(one) ? one.name : `${one.name} (service-profile ${one.serviceProfileName})`,
        disabled: !fits(one),
      }))}
      value={value}
      onChange={onChange}
      allowDeselect={false}
      searchable
      withAsterisk
      openOnFocus={false}
      data-autofocus
    />
  );
}
