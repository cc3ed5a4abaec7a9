import type { Gateway } from '@hilltop/contract';
import { Button, Text } from '@mantine/core';
import { IconCurrentLocation } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { NumberField } from '../../components/form/fields.tsx';
import { FormSection } from '../../components/form/form-section.tsx';
import { type MessageFormState, useFormContext } from '../../components/form/use-message-form.ts';
import { WorldMap } from '../../components/map/map.tsx';
import classes from './gateway.module.css';

const decimals = 6;

/** The location of a gateway: by coordinates, by a pin on the map, or from the browser. */
export function GatewayPosition({ form }: { form: MessageFormState<Gateway> }) {
  const { disabled } = useFormContext();
  const { latitude: north, longitude: east } = form.values.location ?? {};
  // An empty box is a text.
  const isNorthSet = typeof north === 'number';
  const isEastSet = typeof east === 'number';
  const latitude = Number(north ?? 0);
  const longitude = Number(east ?? 0);
  const setPosition = (lat: number, lng: number) => {
    form.set('location.latitude', Number(lat.toFixed(decimals)));
    form.set('location.longitude', Number(lng.toFixed(decimals)));
  };
  const isSet = isNorthSet && isEastSet;
  const points = useMemo(
    () => (isSet ? [{ id: 'pin', label: 'Position of the gateway', latitude, longitude }] : []),
    [isSet, latitude, longitude],
  );
  return (
    <FormSection title="Location" help="A gateway with GPS updates its position with its statistics.">
      <div className={classes.position}>
        <NumberField name="location.latitude" unit="°" decimals={decimals} placeholder="Not set" required={isEastSet} />
        <NumberField
          name="location.longitude"
          unit="°"
          decimals={decimals}
          placeholder="Not set"
          required={isNorthSet}
        />
        <NumberField name="location.altitude" unit="m" decimals={1} />
      </div>
      <CurrentPosition onPlace={setPosition} />
      <WorldMap
        label="Location of the gateway"
        height={400}
        points={points}
        center={{ latitude, longitude }}
        {...(!disabled && { onPlace: setPosition })}
      />
    </FormSection>
  );
}

function CurrentPosition({ onPlace }: { onPlace: (latitude: number, longitude: number) => void }) {
  const [problem, setProblem] = useState<string | null>(null);
  const [isAsking, setAsking] = useState(false);
  const ask = () => {
    if (!('geolocation' in navigator)) return setProblem('This browser does not provide a position.');
    setAsking(true);
    setProblem(null);
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => {
        setAsking(false);
        onPlace(coords.latitude, coords.longitude);
      },
      () => {
        setAsking(false);
        setProblem('The browser did not provide a position. It needs your permission and HTTPS.');
      },
    );
  };
  return (
    <div>
      <Button
        variant="default"
        size="xs"
        loading={isAsking}
        leftSection={<IconCurrentLocation size={16} />}
        onClick={ask}
      >
        Set to current location
      </Button>
      {problem && (
        <Text size="sm" c="dimmed" mt={4} role="status">
          {problem}
        </Text>
      )}
    </div>
  );
}
