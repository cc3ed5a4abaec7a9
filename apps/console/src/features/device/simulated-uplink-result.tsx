import type { EventNote, Operations, ResponseOf } from '@hilltop/contract';
import { Alert, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { query } from '../../api/queries.ts';
import { AppLink } from '../../components/link/link.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import { parsedJson } from '../../components/live-log/identifiers.ts';
import { Status } from '../../components/status/status.tsx';
import { valuesOf } from '../../components/values/values.ts';
import { Values } from '../../components/values/values.tsx';
import { paths } from '../../paths.ts';
import classes from './device.module.css';
import { deliveryStateWords, integrationLabel } from './use-delivery-chips.ts';

/** The answer for a simulated uplink; `nth` counts those of the open form. */
export type SentUplink = ResponseOf<Operations['simulatedUplink']['send']> & { nth: number };

const mostValues = 12;
const refreshMs = 1_000;
/** An integration that takes longer is followed on its own page. */
const watchedMs = 30_000;

interface Props {
  devEUI: string;
  sent: SentUplink;
  /** Called when the user follows the link to the event. */
  onLeave: () => void;
}

/** The event of a simulated uplink: its values, the error of the codec, and where it was delivered. */
export function SimulatedUplinkResult({ devEUI, sent, onLeave }: Props) {
  const { organizationID, applicationID } = useIDs();
  const { eventID, payloadJSON, noteJSON, codecError } = sent;
  const { objectJSON } = parsedJson(payloadJSON) as { objectJSON?: string };
  const { quantities } = parsedJson(noteJSON || '{}') as EventNote;
  const values = objectJSON ? valuesOf(parsedJson(objectJSON), mostValues, quantities) : [];
  const streamID = eventID.slice(devEUI.length + 1);
  return (
    <Alert
      role="status"
      color={codecError ? 'yellow' : 'petrol'}
      icon={codecError ? <IconAlertTriangle /> : <IconCheck />}
      title={codecError ? 'Sent, not decoded' : 'Sent'}
    >
      <Stack gap="sm">
        {codecError && <Text size="sm">{codecError}</Text>}
        {!codecError && values.length === 0 && (
          <Text size="sm">
            {objectJSON ? 'The decoded object has no single values.' : 'The device-profile has no codec: no values.'}
          </Text>
        )}
        {values.length > 0 && <Values label="Decoded values of the simulated uplink" values={values} />}
        <DeliveryStates devEUI={devEUI} eventID={eventID} />
        <AppLink
          to={paths.deviceData(organizationID, applicationID, devEUI)}
          search={{ event: streamID }}
          onClick={onLeave}
        >
          Show the event
        </AppLink>
      </Stack>
    </Alert>
  );
}

const tones = { DELIVERED: 'active', WAITING: 'never', DEAD: 'inactive' } as const;

function DeliveryStates({ devEUI, eventID }: { devEUI: string; eventID: string }) {
  const { applicationID } = useIDs();
  const [since] = useState(() => Date.now());
  const { data } = useQuery({
    ...query('delivery', 'ofDevice', { devEUI }),
    staleTime: 0,
    refetchInterval: ({ state }) => {
      const found = state.data?.result.find((event) => event.eventID === eventID);
      const isOpen = !found || found.deliveries.some(({ place }) => place === 'WAITING');
      return isOpen && Date.now() - since < watchedMs ? refreshMs : false;
    },
  });
  const event = data?.result.find((one) => one.eventID === eventID);
  return (
    <ul className={classes.deliveries} aria-label="Where it went">
      {event?.deliveries.length === 0 && <li>No integration of the application takes uplinks.</li>}
      {event?.deliveries.map(({ kind, place, message }) => (
        <li key={kind}>
          {integrationLabel(kind)}: <Status tone={tones[place]}>{deliveryStateWords[place]}</Status> {message}
        </li>
      ))}
      <li>
        MQTT:{' '}
        <span className="identifier">
          application/{applicationID}/device/{devEUI}/event/up
        </span>
      </li>
    </ul>
  );
}
