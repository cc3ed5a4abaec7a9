import { bigEndian, type Sensor } from './sensor.ts';

interface Parking {
  isTaken: boolean;
  /** Minutes since the last change. */
  minutes: number;
  temperature: number;
}

export const parking: Sensor<Parking> = {
  name: 'parking',
  title: 'Parking space',
  intervalSeconds: 600,
  begin: (random) => ({ isTaken: random() < 0.5, minutes: Math.floor(random() * 120), temperature: 8 + random() * 6 }),
  measure({ isTaken, minutes, temperature }, { random, elapsedMs }) {
    const changes = random() < 0.25;
    return {
      isTaken: changes ? !isTaken : isTaken,
      minutes: changes ? 0 : Math.min(65_535, Math.round(minutes + elapsedMs / 60_000)),
      temperature: temperature + (random() - 0.5) * 0.5,
    };
  },
  encode: ({ isTaken, minutes, temperature }) => ({
    fPort: 5,
    data: bigEndian([isTaken ? 0x80 : 0, 1], [minutes, 2], [Math.round(temperature) + 40, 1]),
  }),
  codec: {
    payloadCodec: 'CUSTOM_JS',
    decoderScript: `// Parking space, FPort 5: occupied flag, minutes in this state, temperature + 40.
function Decode(fPort, bytes, variables) {
  return {
    occupied: (bytes[0] & 0x80) !== 0,
    minutes: (bytes[1] << 8) | bytes[2],
    temperature: bytes[3] - 40
  };
}
`,
    encoderScript: `// {"calibrate": true} takes the present state as empty.
function Encode(fPort, obj, variables) {
  return obj.calibrate ? [0xca] : [0x00];
}
`,
  },
  decoded: ({ isTaken, minutes, temperature }) => ({
    occupied: isTaken,
    minutes,
    temperature: Math.round(temperature) + 0,
  }),
};
