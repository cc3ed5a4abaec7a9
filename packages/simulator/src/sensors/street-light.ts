import { bigEndian, type Sensor } from './sensor.ts';

interface Lamp {
  dim: number;
  hours: number;
}

/** Whether it is dark: from 18 to 6 h (UTC). */
const isDark = (now: Date) => now.getUTCHours() < 6 || now.getUTCHours() >= 18;

export const streetLight: Sensor<Lamp> = {
  name: 'street-light',
  title: 'Street light',
  intervalSeconds: 900,
  isClassC: true,
  begin: (random) => ({ dim: 0, hours: Math.floor(random() * 9000) }),
  measure: ({ hours }, { now, elapsedMs }) => ({
    dim: isDark(now) ? 70 : 0,
    hours: (hours + (isDark(now) ? elapsedMs / 3_600_000 : 0)) % 2 ** 16,
  }),
  encode: ({ dim, hours }) => ({ fPort: 8, data: bigEndian([dim, 1], [Math.floor(hours), 2]) }),
  codec: {
    payloadCodec: 'CUSTOM_JS',
    decoderScript: `// Street light, FPort 8: brightness in percent, hours of operation.
function Decode(fPort, bytes, variables) {
  return {
    lamp: bytes[0] > 0 ? "on" : "off",
    dim: bytes[0],
    hours: bytes[1] * 256 + bytes[2]
  };
}
`,
    encoderScript: `// {"dim": 70} sets the brightness in percent.
function Encode(fPort, obj, variables) {
  return [obj.dim];
}
`,
  },
  decoded: ({ dim, hours }) => ({ lamp: dim > 0 ? 'on' : 'off', dim, hours: Math.floor(hours) }),
};
