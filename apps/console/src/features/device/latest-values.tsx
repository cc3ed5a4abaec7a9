import { Group, Paper, Text, Title } from '@mantine/core';
import { LastSeen } from '../../components/last-seen/last-seen.tsx';
import { AppLink } from '../../components/link/link.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import { base64ToHex } from '../../components/live-log/identifiers.ts';
import { Status } from '../../components/status/status.tsx';
import { Values } from '../../components/values/values.tsx';
import { paths } from '../../paths.ts';
import classes from './device.module.css';
import { decodedValues, type EventItem, isSimulatedEvent, payloadOf } from './event-kind.ts';
import { useDevice } from './use-device.ts';
import { useKnownEvents } from './use-last-events.tsx';
import { useQuantities } from './use-quantities.ts';

const mostValues = 24;

/** The latest values of the device of the page, live. */
export function LatestValues() {
  const { decoded, up, error } = useKnownEvents();
  const quantitiesOf = useQuantities(useIDs().devEUI, decoded);
  return (
    <Paper component="section" aria-labelledby="latest-values">
      <Group justify="space-between" gap="xs" mb="xs">
        <Title order={2} id="latest-values">
          Latest values
        </Title>
        {decoded && (
          <Text c="dimmed" size="sm">
            {isSimulatedEvent(payloadOf(decoded)) && <Status tone="attention">simulated</Status>}{' '}
            <LastSeen at={decoded.publishedAt} />
          </Text>
        )}
      </Group>
      <div className={classes.latest}>
        {decoded ? (
          <Values label="Decoded values" values={decodedValues(decoded, mostValues, quantitiesOf(decoded))} />
        ) : (
          <NoValues up={up} />
        )}
      </div>
      {error && <LastError error={error} />}
    </Paper>
  );
}

function NoValues({ up }: { up: EventItem | undefined }) {
  const { organizationID } = useIDs();
  const profileID = useDevice().data?.device.deviceProfileID;
  if (!up) return <Text c="dimmed">No values yet. They appear after the first uplink.</Text>;
  const { data = '', fPort = 0 } = payloadOf(up);
  return (
    <Text c="dimmed">
      Port {fPort}: <span className="identifier">{base64ToHex(data ?? '') || 'no bytes'}</span>. The codec of{' '}
      {profileID ? (
        <AppLink to={paths.deviceProfile.one(organizationID, profileID)}>its device-profile</AppLink>
      ) : (
        'its device-profile'
      )}{' '}
      turns bytes into values.
    </Text>
  );
}

function LastError({ error: item }: { error: EventItem }) {
  const { organizationID, applicationID, devEUI } = useIDs();
  const { type, error } = payloadOf(item);
  return (
    <Text size="sm" mt="sm">
      <Text span c="dimmed">
        Last error, <LastSeen at={item.publishedAt} />:{' '}
      </Text>
      <AppLink to={paths.deviceData(organizationID, applicationID, devEUI)} search={{ event: item.streamID }}>
        {type ?? 'UNKNOWN'}
      </AppLink>{' '}
      {error}
    </Text>
  );
}
