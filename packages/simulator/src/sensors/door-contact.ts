import { bigEndian, type Sensor } from './sensor.ts';

interface Door {
  isOpen: boolean;
  openings: number;
}

export const doorContact: Sensor<Door> = {
  name: 'door-contact',
  title: 'Door contact',
  intervalSeconds: 1200,
  begin: (random) => ({ isOpen: random() < 0.2, openings: Math.floor(random() * 5000) }),
  measure({ isOpen, openings }, { random }) {
    const isOpenNow = random() < (isOpen ? 0.3 : 0.5);
    return { isOpen: isOpenNow, openings: (openings + (isOpenNow && !isOpen ? 1 : 0)) % 2 ** 24 };
  },
  encode: ({ isOpen, openings }) => ({ fPort: 3, data: bigEndian([isOpen ? 1 : 0, 1], [openings, 3]) }),
  codec: {
    payloadCodec: 'CUSTOM_JS',
    decoderScript: `// Door contact, FPort 3: state, number of openings.
function Decode(fPort, bytes, variables) {
  return {
    door: bytes[0] === 1 ? "open" : "closed",
    openings: bytes[1] * 65536 + bytes[2] * 256 + bytes[3]
  };
}
`,
    encoderScript: `// {"reset": true} sets the number of openings to 0.
function Encode(fPort, obj, variables) {
  return [obj.reset ? 1 : 0];
}
`,
  },
  decoded: ({ isOpen, openings }) => ({ door: isOpen ? 'open' : 'closed', openings }),
};
