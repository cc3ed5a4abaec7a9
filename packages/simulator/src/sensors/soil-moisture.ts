import { bigEndian, dayCurve, rounded, type Sensor, wander } from './sensor.ts';

interface Soil {
  /** Percent of volume. */
  moisture: number;
  temperature: number;
  batteryVolts: number;
}

/** The soil dries until it rains. */
export const soilMoisture: Sensor<Soil> = {
  name: 'soil-moisture',
  title: 'Soil moisture probe',
  intervalSeconds: 900,
  begin: (random) => ({
    moisture: 18 + random() * 20,
    temperature: 9 + random() * 4,
    batteryVolts: 3.3 + random() * 0.3,
  }),
  measure({ moisture, temperature, batteryVolts }, { random, now, elapsedMs }) {
    const isRaining = random() < 0.02;
    const hours = elapsedMs / 3_600_000;
    return {
      moisture: isRaining
        ? Math.min(48, moisture + 4 + random() * 12)
        : Math.max(6, moisture - hours * (0.3 + random() * 0.4)),
      temperature: wander(temperature, { home: 11 + 2 * dayCurve(now), step: 0.2, min: -5, max: 35 }, random),
      batteryVolts: Math.max(2.8, batteryVolts - hours * 0.00005),
    };
  },
  encode: ({ moisture, temperature, batteryVolts }) => ({
    fPort: 10,
    data: bigEndian(
      [Math.round(moisture * 10), 2],
      [Math.round(temperature * 10), 2],
      [Math.round(batteryVolts * 1000), 2],
    ),
  }),
  codec: {
    payloadCodec: 'CUSTOM_JS',
    decoderScript: `// Soil moisture probe, FPort 10: moisture 0.1 %, temperature 0.1 degree, battery mV.
function Decode(fPort, bytes, variables) {
  if (fPort !== 10 || bytes.length !== 6) {
    throw new Error("expected 6 bytes on FPort 10");
  }
  var temperature = (bytes[2] << 8) | bytes[3];
  if (temperature > 0x7fff) temperature -= 0x10000;
  return {
    moisture: ((bytes[0] << 8) | bytes[1]) / 10,
    temperature: temperature / 10,
    battery: ((bytes[4] << 8) | bytes[5]) / 1000
  };
}
`,
    encoderScript: `// {"interval": 900} sets the seconds between measurements.
function Encode(fPort, obj, variables) {
  return [0x01, (obj.interval >> 8) & 0xff, obj.interval & 0xff];
}
`,
  },
  decoded: ({ moisture, temperature, batteryVolts }) => ({
    moisture: rounded(moisture, 1),
    temperature: rounded(temperature, 1),
    battery: rounded(batteryVolts, 3),
  }),
};
