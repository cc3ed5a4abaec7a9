import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createContext, runInContext } from 'node:vm';
import { seededRandom } from '../random.ts';
import { sensorKinds, sensorNamed } from './sensors.ts';

/** The subset of Cayenne LPP that our sensors use: type byte to name, length, scale. */
const lpp: Readonly<Record<number, [name: string, length: number, scale: number]>> = {
  2: ['analogInput', 2, 100],
  103: ['temperatureSensor', 2, 10],
  104: ['humiditySensor', 1, 2],
};

function readSigned(bytes: Uint8Array, at: number, length: number): number {
  const value = bytes.subarray(at, at + length).reduce((sum, byte) => sum * 256 + byte, 0);
  return value >= 256 ** length / 2 && length > 1 ? value - 256 ** length : value;
}

function decodeCayenne(bytes: Uint8Array): object {
  const object: Record<string, Record<string, unknown>> = {};
  for (let at = 0; at < bytes.length; ) {
    const channel = bytes[at]!;
    const type = bytes[at + 1]!;
    at += 2;
    if (type === 136) {
      const scaled = (offset: number, scale: number) => readSigned(bytes, at + offset, 3) / scale;
      const value = { latitude: scaled(0, 1e4), longitude: scaled(3, 1e4), altitude: scaled(6, 100) };
      object.gpsLocation = { ...object.gpsLocation, [channel]: value };
      at += 9;
    } else {
      const [name, length, scale] = lpp[type]!;
      object[name] = { ...object[name], [channel]: readSigned(bytes, at, length) / scale };
      at += length;
    }
  }
  return object;
}

function decodeScript(script: string, fPort: number, data: Uint8Array): unknown {
  const context = createContext({ fPort, bytes: [...data] });
  return JSON.parse(runInContext(`${script}; JSON.stringify(Decode(fPort, bytes, {}))`, context) as string);
}

describe('sensors', () => {
  for (const kind of sensorKinds) {
    it(`${kind.name}: the codec decodes a hundred measurements`, () => {
      const random = seededRandom(11);
      const probe = kind.start(random);
      const seen = new Set<string>();
      for (let nth = 0; nth < 100; nth++) {
        const now = new Date(Date.UTC(2023, 2, 1, nth % 24));
        const { fPort, data } = probe.measure({ random, now, elapsedMs: kind.intervalSeconds * 1000 });
        assert.ok(fPort > 0 && fPort < 224 && data.length > 0 && data.length <= 51);
        const { payloadCodec, decoderScript } = kind.codec;
        const read = payloadCodec === 'CUSTOM_JS' ? decodeScript(decoderScript, fPort, data) : decodeCayenne(data);
        assert.deepEqual(read, JSON.parse(JSON.stringify(probe.decoded())));
        seen.add(data.toHex());
      }
      assert.ok(seen.size > 10, `only ${seen.size} different payloads`);
    });

    it(`${kind.name}: the same seed yields the same measurements`, () => {
      const payloads = [1, 2].map(() => {
        const random = seededRandom(5);
        return kind.start(random).measure({ random, now: new Date(0), elapsedMs: 60_000 }).data;
      });
      assert.deepEqual(payloads[0], payloads[1]);
    });
  }

  it('have an encoder that returns bytes if they have a script', () => {
    const commands = { interval: 900, reset: true, valve: 'closed', calibrate: true, dim: 70 };
    for (const { codec, name } of sensorKinds) {
      if (codec.payloadCodec !== 'CUSTOM_JS') continue;
      const bytes = runInContext(
        `${codec.encoderScript}; Encode(1, obj, {})`,
        createContext({ obj: commands }),
      ) as number[];
      assert.ok(bytes.length > 0 && [...bytes].every((byte) => byte >= 0 && byte <= 255), name);
    }
  });

  it('are found by name', () => {
    assert.equal(sensorNamed('parking').title, 'Parking space');
    assert.throws(() => sensorNamed('toaster'), /Known are climate, /);
  });
});
