import type { Device } from '@hilltop/contract';
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
  const present = useQuery(query('application', 'get', { id: device.applicationID }));
  const error = applications.error ?? present.error;
  if (error)
    return <ErrorState error={error} retry={() => void Promise.all([applications.refetch(), present.refetch()])} />;

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

  const serviceProfileID = present.data?.application.serviceProfileID;
  const others = (applications.data?.result ?? []).filter(({ id }) => id !== device.applicationID);
  const isLoaded = applications.data !== undefined && serviceProfileID !== undefined;
  const fits = (one: { serviceProfileID: string }) => one.serviceProfileID === serviceProfileID;
  return (
    <form onSubmit={(event) => void move(event)}>
      <Stack gap="sm">
        <Text>
          Its session, queue and history go with it. It leaves its multicast-groups, which belong to the application.
        </Text>
        <Select
          label="Application"
          description={
            isLoaded && !others.every(fits)
              ? 'Applications with another service-profile cannot have it: their features and network-server may differ.'
              : undefined
          }
          placeholder={isLoaded ? 'Choose ...' : 'Loading ...'}
          nothingFoundMessage="There is no other application."
          data={others.map((one) => ({
            value: one.id,
            label: fits(one) ? one.name : `${one.name} (service-profile ${one.serviceProfileName})`,
            disabled: !fits(one),
          }))}
          value={applicationID}
          onChange={setApplicationID}
          allowDeselect={false}
          searchable
          withAsterisk
          openOnFocus={false}
          data-autofocus
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
