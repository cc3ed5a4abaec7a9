import { bigEndian, dayCurve, rounded, type Sensor, wander } from './sensor.ts';

interface Climate {
  temperature: number;
  humidity: number;
}

/** Room climate in Cayenne LPP: temperature on channel 1, humidity on channel 2. */
export const climate: Sensor<Climate> = {
  name: 'climate',
  title: 'Temperature and humidity',
  intervalSeconds: 600,
  begin: (random) => ({ temperature: 18 + random() * 5, humidity: 40 + random() * 20 }),
  measure: ({ temperature, humidity }, { random, now }) => ({
    temperature: wander(temperature, { home: 20 + 3 * dayCurve(now), step: 0.4, min: -20, max: 45 }, random),
    humidity: wander(humidity, { home: 50 - 8 * dayCurve(now), step: 1.5, min: 10, max: 99 }, random),
  }),
  encode: ({ temperature, humidity }) => ({
    fPort: 2,
    data: bigEndian(
      [1, 1],
      [103, 1],
      [Math.round(temperature * 10), 2],
      [2, 1],
      [104, 1],
      [Math.round(humidity * 2), 1],
    ),
  }),
  codec: { payloadCodec: 'CAYENNE_LPP', decoderScript: '', encoderScript: '' },
  decoded: ({ temperature, humidity }) => ({
    temperatureSensor: { 1: rounded(temperature, 1) },
    humiditySensor: { 2: Math.round(humidity * 2) / 2 },
  }),
};
