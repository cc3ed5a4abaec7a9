import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { CodecVector, complete, type PartOf } from '@hilltop/contract';
import { startCodecsWithLongTimeout } from '../../testing/codecs-with-long-timeout.ts';
import { runVectors } from './run.ts';

describe('the test vectors of a codec', () => {
  const codecs = startCodecsWithLongTimeout();
  after(() => codecs.stop());
  const context = { owner: 'user 1', variables: {}, now: new Date('2026-11-27T10:00:00Z') };
  const check = (codec: { encoderScript: string; decoderScript: string }, vectors: readonly PartOf<CodecVector>[]) => {
    const given = vectors.map((vector) => complete(CodecVector, vector));
    return runVectors(codecs, { codec: 'CUSTOM_JS', ...codec }, given, context);
  };

  it('pass with equal objects, bytes, ports and errors, and say otherwise what differs', async () => {
    const decoderScript = `
      function decodeUplink({ bytes }) {
        return bytes.length ? { data: { t: bytes[0] * 0.1, list: [1] } } : { errors: ['empty'] };
      }
      function encodeDownlink({ data }) { return { bytes: [data.n], fPort: 5 }; }`;
    const problems = await check({ encoderScript: '', decoderScript }, [
      { direction: 'UPLINK', data: 'Aw==', objectJSON: '{"list":[1],"t":0.3}' },
      { direction: 'UPLINK', data: 'Aw==', objectJSON: '{"list":[1],"t":0.31}' },
      { direction: 'UPLINK', errors: ['empty'] },
      { direction: 'UPLINK', objectJSON: '{}' },
      { direction: 'DOWNLINK', objectJSON: '{"n":1}', data: 'AQ==', fPort: 5 },
      { direction: 'DOWNLINK', objectJSON: '{"n":1}', data: 'AQ==', fPort: 6 },
      { direction: 'DOWNLINK', objectJSON: '{"n":2}', data: 'AQ==' },
    ]);
    assert.deepEqual(problems, ['', 'The object differs.', '', 'empty', '', 'The port is 5.', 'The bytes differ.']);
  });
});
