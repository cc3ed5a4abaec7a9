import type { Quantities, Quantity } from '@hilltop/contract';

/** What `normalizeUplink` returns, with the units of normalized payloads (LoRa Alliance TS013, The Things Stack). */
const measurements: Quantities = {
  'air.temperature': { quantity: 'temperature', unit: '°C' },
  'air.relativeHumidity': { quantity: 'relativeHumidity', unit: '%' },
  'air.pressure': { quantity: 'pressure', unit: 'hPa' },
  'air.co2': { quantity: 'co2', unit: 'ppm' },
  'air.lightIntensity': { quantity: 'illuminance', unit: 'lx' },
  'wind.speed': { quantity: 'speed', unit: 'm/s' },
  'wind.direction': { quantity: 'direction', unit: '°' },
  'rain.intensity': { quantity: 'rainIntensity', unit: 'mm/h' },
  'rain.cumulative': { quantity: 'rain', unit: 'mm' },
  'soil.depth': { quantity: 'depth', unit: 'cm' },
  'soil.moisture': { quantity: 'moisture', unit: '%' },
  'soil.temperature': { quantity: 'temperature', unit: '°C' },
  'soil.ec': { quantity: 'conductivity', unit: 'dS/m' },
  'soil.pH': { quantity: 'pH', unit: '' },
  'soil.n': { quantity: 'nitrogen', unit: 'ppm' },
  'soil.p': { quantity: 'phosphorus', unit: 'ppm' },
  'soil.k': { quantity: 'potassium', unit: 'ppm' },
  'water.temperature.current': { quantity: 'temperature', unit: '°C' },
  'water.temperature.min': { quantity: 'temperature', unit: '°C' },
  'water.temperature.max': { quantity: 'temperature', unit: '°C' },
  'water.temperature.avg': { quantity: 'temperature', unit: '°C' },
  'metering.water.total': { quantity: 'volume', unit: 'L' },
  'action.motion.count': { quantity: 'count', unit: '' },
  'position.latitude': { quantity: 'latitude', unit: '°' },
  'position.longitude': { quantity: 'longitude', unit: '°' },
  'position.altitude': { quantity: 'altitude', unit: 'm' },
  battery: { quantity: 'voltage', unit: 'V' },
};

const mostQuantities = 32;
const deepest = 8;
const mostNumbers = 256;

interface NumberLeaf {
  path: string;
  value: number;
}

/**
 * The quantities of decoded numbers. A measurement belongs to the decoded number of the same value; of several, to the one
 * whose name contains that of the measurement.
 */
export function quantitiesFrom(data: unknown, normalized: unknown): Quantities {
  const numbers = numbersOf(data);
  const found: Record<string, Quantity> = {};
  for (const normal of Array.isArray(normalized) ? normalized : [normalized]) {
    for (const { path, value } of numbersOf(normal)) {
      const quantity = Object.hasOwn(measurements, path) ? measurements[path] : undefined;
      if (!quantity || Object.keys(found).length >= mostQuantities) continue;
      const same = numbers.filter((one) => isEqual(one.value, value) && !Object.hasOwn(found, one.path));
      const named = same.filter((one) => plainName(one.path).includes(plainName(path)));
      const [chosen, other] = same.length === 1 ? same : named;
      if (chosen && !other) found[chosen.path] = quantity;
    }
  }
  return found;
}

const isEqual = (one: number, other: number) => Math.abs(one - other) <= 1e-9 * Math.max(1, Math.abs(one));

const plainName = (path: string) => path.slice(path.lastIndexOf('.') + 1).toLowerCase();

function numbersOf(value: unknown, path: readonly string[] = [], found: NumberLeaf[] = []): NumberLeaf[] {
  if (found.length >= mostNumbers || path.length > deepest) return found;
  if (typeof value === 'number') found.push({ path: path.join('.'), value });
  else if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    for (const [name, inner] of Object.entries(value)) numbersOf(inner, [...path, name], found);
  }
  return found;
}
