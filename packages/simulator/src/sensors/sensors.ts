import { climate } from './climate.ts';
import { doorContact } from './door-contact.ts';
import { gpsTracker } from './gps-tracker.ts';
import { parking } from './parking.ts';
import { type SensorKind, sensorKind } from './sensor.ts';
import { soilMoisture } from './soil-moisture.ts';
import { streetLight } from './street-light.ts';
import { waterMeter } from './water-meter.ts';

/** All kinds of sensors. */
export const sensorKinds: readonly SensorKind[] = [
  sensorKind(climate),
  sensorKind(soilMoisture),
  sensorKind(doorContact),
  sensorKind(waterMeter),
  sensorKind(gpsTracker),
  sensorKind(parking),
  sensorKind(streetLight),
];

/** The kind of that name. @throws RangeError */
export function sensorNamed(name: string): SensorKind {
  const kind = sensorKinds.find((candidate) => candidate.name === name);
  if (!kind)
    throw new RangeError(
      `There is no sensor "${name}". Known are ${sensorKinds.map((known) => known.name).join(', ')}.`,
    );
  return kind;
}
