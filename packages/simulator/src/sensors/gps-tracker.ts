import { bigEndian, type Sensor, wander } from './sensor.ts';

interface Track {
  latitude: number;
  longitude: number;
  /** Degrees clockwise from north, and kilometres per hour. */
  course: number;
  speed: number;
  battery: number;
}

/** Moves and sends Cayenne LPP: position on channel 1, speed as analog input on channel 2. */
export const gpsTracker: Sensor<Track> = {
  name: 'gps-tracker',
  title: 'GPS tracker',
  intervalSeconds: 300,
  begin: (random) => ({
    latitude: 52.09 + (random() - 0.5) * 0.05,
    longitude: 5.12 + (random() - 0.5) * 0.08,
    course: random() * 360,
    speed: random() * 30,
    battery: 100,
  }),
  measure({ latitude, longitude, course, speed, battery }, { random, elapsedMs }) {
    const kilometres = (speed * elapsedMs) / 3_600_000;
    const angle = (course * Math.PI) / 180;
    return {
      latitude: homeward(latitude + (kilometres / 111.2) * Math.cos(angle), 52.09),
      longitude: homeward(longitude + (kilometres / 68.4) * Math.sin(angle), 5.12),
      course: (course + (random() - 0.5) * 90 + 360) % 360,
      speed: wander(speed, { home: 20, step: 12, min: 0, max: 80 }, random),
      battery: Math.max(5, battery - elapsedMs / 36_000_000),
    };
  },
  encode: ({ latitude, longitude, speed }) => ({
    fPort: 1,
    data: bigEndian(
      [1, 1],
      [136, 1],
      [Math.round(latitude * 1e4), 3],
      [Math.round(longitude * 1e4), 3],
      [altitude * 100, 3],
      [2, 1],
      [2, 1],
      [Math.round(speed * 100), 2],
    ),
  }),
  codec: { payloadCodec: 'CAYENNE_LPP', decoderScript: '', encoderScript: '' },
  decoded: ({ latitude, longitude, speed }) => ({
    gpsLocation: {
      1: { latitude: Math.round(latitude * 1e4) / 1e4, longitude: Math.round(longitude * 1e4) / 1e4, altitude },
    },
    analogInput: { 2: Math.round(speed * 100) / 100 },
  }),
};

const altitude = 5;

/** Turns back when it is a tenth of a degree away from home. */
function homeward(degrees: number, home: number): number {
  const away = degrees - home;
  return Math.abs(away) > 0.1 ? home + Math.sign(away) * 0.1 : degrees;
}
