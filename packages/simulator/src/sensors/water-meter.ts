import { bigEndian, type Sensor } from './sensor.ts';

interface Meter {
  litres: number;
  /** Litres per hour at present. */
  flow: number;
  isLeaking: boolean;
}

/** Counts litres: water flows in the morning and in the evening, and some meters leak. */
export const waterMeter: Sensor<Meter> = {
  name: 'water-meter',
  title: 'Water meter',
  intervalSeconds: 3600,
  begin: (random) => ({ litres: Math.floor(random() * 800_000), flow: 0, isLeaking: random() < 0.05 }),
  measure({ litres, isLeaking }, { random, now, elapsedMs }) {
    const hour = now.getUTCHours();
    const isBusy = (hour >= 6 && hour < 9) || (hour >= 17 && hour < 22);
    const used = random() < (isBusy ? 0.7 : 0.15) ? random() * 60 : 0;
    const flow = Math.round(used + (isLeaking ? 4 : 0));
    return { litres: Math.floor(litres + (flow * elapsedMs) / 3_600_000) % 2 ** 32, flow, isLeaking };
  },
  encode: ({ litres, flow, isLeaking }) => ({
    fPort: 8,
    data: bigEndian([litres, 4], [flow, 2], [isLeaking ? 1 : 0, 1]),
  }),
  codec: {
    payloadCodec: 'CUSTOM_JS',
    decoderScript: `// Water meter, FPort 8: litres, litres per hour, alarms (bit 0 leak).
function Decode(fPort, bytes, variables) {
  var litres = 0;
  for (var i = 0; i < 4; i++) litres = litres * 256 + bytes[i];
  return {
    volume: litres / 1000,
    flow: (bytes[4] << 8) | bytes[5],
    leak: (bytes[6] & 1) === 1
  };
}
`,
    encoderScript: `// {"valve": "open"} or {"valve": "closed"}.
function Encode(fPort, obj, variables) {
  return [obj.valve === "closed" ? 0 : 1];
}
`,
  },
  decoded: ({ litres, flow, isLeaking }) => ({ volume: litres / 1000, flow, leak: isLeaking }),
};
