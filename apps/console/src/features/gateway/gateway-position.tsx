import type { Gateway } from '@hilltop/contract';
import { useMemo } from 'react';
import { CurrentPosition } from '../../components/form/current-position.tsx';
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
