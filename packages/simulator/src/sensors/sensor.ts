import type { Random } from '../random.ts';

/** How the server decodes the payloads: fields of a device-profile or an application. */
export interface Codec {
  payloadCodec: 'CAYENNE_LPP' | 'CUSTOM_JS';
  /** Empty for built-in codecs. */
  decoderScript: string;
  encoderScript: string;
}

export interface Surroundings {
  random: Random;
  now: Date;
  /** Since the last measurement. */
  elapsedMs: number;
}

/** A kind of sensor: its measurements, how they change, and their encoding. */
export interface Sensor<State> {
  /** Kebab-case, unique. */
  name: string;
  /** For users: `Soil moisture probe`. */
  title: string;
  /** The default reporting interval in seconds. */
  intervalSeconds: number;
  /** Has mains power and always listens. */
  isClassC?: true;
  begin(random: Random): State;
  /** The next measurement. */
  measure(state: State, surroundings: Surroundings): State;
  encode(state: State): { fPort: number; data: Uint8Array };
  codec: Codec;
  /** The object that the codec decodes from `encode(state)`. */
  decoded(state: State): object;
}

/** A sensor that contains its state, so that one list can hold several kinds. */
export interface Probe {
  measure(surroundings: Surroundings): { fPort: number; data: Uint8Array };
  decoded(): object;
}

/** The properties of a kind of sensor, without its state. */
export interface SensorKind {
  name: string;
  title: string;
  intervalSeconds: number;
  isClassC: boolean;
  codec: Codec;
  start(random: Random): Probe;
}

export function sensorKind<State>(sensor: Sensor<State>): SensorKind {
  const { name, title, intervalSeconds, isClassC = false, codec } = sensor;
  return {
    name,
    title,
    intervalSeconds,
    isClassC,
    codec,
    start(random) {
      let state = sensor.begin(random);
      return {
        measure(surroundings) {
          state = sensor.measure(state, surroundings);
          return sensor.encode(state);
        },
        decoded: () => sensor.decoded(state),
      };
    },
  };
}

/** A value that varies around `home` within the range. */
export function wander(
  value: number,
  { home, step, min, max }: { home: number; step: number; min: number; max: number },
  random: Random,
): number {
  const next = value + (home - value) * 0.1 + (random() - 0.5) * 2 * step;
  return Math.min(max, Math.max(min, next));
}

/** -1 at four in the morning, 1 at four in the afternoon (UTC). */
export function dayCurve(now: Date): number {
  const hours = now.getUTCHours() + now.getUTCMinutes() / 60;
  return Math.sin(((hours - 10) / 12) * Math.PI);
}

/** Bytes of numbers, most significant byte first: `[value, length]`. */
export function bigEndian(...numbers: readonly (readonly [value: number, length: number])[]): Uint8Array {
  return Uint8Array.from(
    numbers.flatMap(([value, length]) =>
      Array.from({ length }, (_, index) => Math.floor(value / 256 ** (length - 1 - index)) & 0xff),
    ),
  );
}

export function rounded(value: number, decimals: number): number {
  return Number(value.toFixed(decimals));
}
