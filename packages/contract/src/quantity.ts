/** What a decoded number measures. */
export interface Quantity {
  readonly quantity: string;
  readonly unit: string;
}

/** Quantities of decoded numbers, by their names joined with a dot. */
export type Quantities = Readonly<Record<string, Quantity>>;

/** The kinds of Cayenne LPP. Other names are not in the table: the unit of a `temperature` may be °C or °F. */
const byName: Quantities = {
  temperatureSensor: { quantity: 'temperature', unit: '°C' },
  humiditySensor: { quantity: 'relativeHumidity', unit: '%' },
  barometer: { quantity: 'pressure', unit: 'hPa' },
  illuminanceSensor: { quantity: 'illuminance', unit: 'lx' },
  accelerometer: { quantity: 'acceleration', unit: 'g' },
  gyrometer: { quantity: 'angularSpeed', unit: '°/s' },
  voltage: { quantity: 'voltage', unit: 'V' },
  current: { quantity: 'current', unit: 'A' },
  frequency: { quantity: 'frequency', unit: 'Hz' },
  percentage: { quantity: 'percentage', unit: '%' },
  altitude: { quantity: 'altitude', unit: 'm' },
  concentration: { quantity: 'concentration', unit: 'ppm' },
  power: { quantity: 'power', unit: 'W' },
  distance: { quantity: 'distance', unit: 'm' },
  energy: { quantity: 'energy', unit: 'kWh' },
  direction: { quantity: 'direction', unit: '°' },
};

/** The quantity of the values of a Cayenne LPP kind, which are in an object by channel. */
export const quantityOfKind = (name: string): Quantity | undefined =>
  Object.hasOwn(byName, name) ? byName[name] : undefined;

/** The quantity of a decoded value by its names joined with a dot: `temperatureSensor.3`, `accelerometer.1.x`. */
export function quantityOfField(field: string): Quantity | undefined {
  const names = field.split('.');
  const kinds = names.filter((_, index) => /^\d+$/.test(names[index + 1] ?? ''));
  return kinds.map(quantityOfKind).find((quantity) => quantity !== undefined);
}

const longestUnit = 12;

/** A decoded value that is written with its unit: `{ value: 17.3, unit: '°C' }`. */
export function isMeasured(value: object): value is { value: number | string | boolean; unit: string } {
  const { value: inner, unit } = value as { value?: unknown; unit?: unknown };
  const isLeaf = ['number', 'string', 'boolean'].includes(typeof inner);
  return isLeaf && typeof unit === 'string' && unit.length <= longestUnit && Object.keys(value).length === 2;
}
