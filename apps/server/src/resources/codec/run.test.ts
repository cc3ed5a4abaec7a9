import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { type CodecRunInput, CodecVector, complete, type PartOf } from '@hilltop/contract';
import { startPayloadCodecs } from '../../payload-codecs/codec.ts';
import { startCodecsWithLongTimeout } from '../../testing/codecs-with-long-timeout.ts';
import { decoders, encoders, failing, unparsable } from './codec-examples.ts';
import { runCodec, runVectors } from './run.ts';

const context = { owner: 'user 1', variables: { site: 'north' }, now: new Date('2026-11-27T10:00:00Z') };
const base64 = (hex: string) => Uint8Array.fromHex(hex).toBase64();
const customOf = (decoderScript: string, encoderScript = '') => ({ codec: 'CUSTOM_JS', decoderScript, encoderScript });
const inputOf = (input: PartOf<CodecRunInput>): CodecRunInput => complete(CodecVector, input);

describe('a codec', () => {
  const codecs = startCodecsWithLongTimeout();
  after(() => codecs.stop());
  const check = (script: string, vectors: readonly PartOf<CodecVector>[]) =>
    runVectors(
      codecs,
      customOf(script),
      vectors.map((vector) => complete(CodecVector, vector)),
      context,
    );

  for (const { name, script, hex, object } of decoders)
    it(`runs: ${name}`, async () => {
      const vector = { direction: 'UPLINK', fPort: 1, data: base64(hex), objectJSON: object } as const;
      assert.deepEqual(await check(script, [vector]), ['']);
      const uplink = { application: '1', fPort: 1, bytes: Uint8Array.fromHex(hex), variables: context.variables };
      // From the fourth call on, the script is cached.
      for (let call = 0; call < 6; call++) {
        const decoded = await codecs.decode(customOf(script), { ...uplink, receivedAt: context.now });
        assert.deepEqual(JSON.parse(decoded.objectJSON), JSON.parse(object));
      }
    });

  for (const { name, script, object, hex, given, fPort } of encoders)
    it(`runs: ${name}`, async () => {
      const downlink = { application: '1', fPort: given, json: object, variables: {} };
      for (const codec of [customOf('', script), customOf(script)]) {
        const encoded = await codecs.encode(codec, downlink);
        assert.deepEqual([encoded.bytes.toHex(), encoded.fPort], [hex, fPort]);
      }
    });

  it('has quantities from normalizeUplink, which belong to the decoded numbers of the same value', async () => {
    const script = `
      function decodeUplink({ bytes }) { return { data: { airTemperature: bytes[0] / 10, level: bytes[1], x: bytes[1] } }; }
      function normalizeUplink({ data }) {
        return { data: [{ air: { temperature: data.airTemperature } }, { soil: { moisture: data.level }, odd: 1 }] };
      }`;
    const uplink = {
      application: '1',
      fPort: 1,
      bytes: Uint8Array.of(215, 40),
      variables: {},
      receivedAt: context.now,
    };
    const { objectJSON, quantities } = await codecs.decode(customOf(script), uplink);
    assert.equal(objectJSON, '{"airTemperature":21.5,"level":40,"x":40}');
    assert.deepEqual(quantities, { airTemperature: { quantity: 'temperature', unit: '°C' } });
    const failed = await codecs.decode(
      customOf(`${script} normalizeUplink = () => { throw new Error('no'); };`),
      uplink,
    );
    assert.deepEqual([failed.objectJSON, failed.warnings], [objectJSON, ['normalizeUplink: Error: no (line 5)']]);
  });

  for (const [script, line] of unparsable)
    it(`is refused in line ${line}: ${JSON.stringify(script)}`, async () => {
      const problem = await codecs.check(customOf(script), 'user 1');
      assert.ok(typeof problem === 'object');
      assert.deepEqual([problem.field, problem.error.position?.line], ['decoderScript', line]);
    });

  for (const [script, line] of failing)
    it(`fails in line ${line}: ${JSON.stringify(script)}`, async () => {
      const run = inputOf({ direction: 'UPLINK', fPort: 1, data: 'AQ==' });
      const [result] = await runCodec(codecs, customOf(script), [run], context);
      assert.deepEqual([result?.script, result?.line], ['DECODER', line], result?.error ?? '');
    });

  it('passes test vectors with equal objects, bytes, ports and errors, and tells otherwise what differs', async () => {
    const script = `
      function decodeUplink({ bytes }) {
        return bytes.length ? { data: { t: bytes[0] * 0.1, list: [1] } } : { errors: ['empty'] };
      }
      function encodeDownlink({ data }) { return { bytes: [data.n], fPort: 5 }; }`;
    const problems = await check(script, [
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

describe('a run of a hostile script', () => {
  const codecs = startPayloadCodecs();
  after(() => codecs.stop());
  const run = async (script: string, count = 1) => {
    const inputs = Array.from({ length: count }, () => inputOf({ direction: 'UPLINK', fPort: 1, data: 'AQ==' }));
    return runCodec(codecs, customOf(script), inputs, context);
  };

  const hostile: readonly [name: string, script: string, error: RegExp][] = [
    ['an endless loop', 'function Decode() { console.log("in"); for (;;); }', /longer than 100 ms/],
    ['an object of 100 MB', 'function Decode() { return { a: new Array(1e8).fill("x") }; }', /memory|longer/],
    ['a large result', 'function decodeUplink() { return { data: "x".repeat(70000) }; }', /larger than 64 KB/],
    ['a replaced prototype', 'Array.prototype.toJSON = () => 1; function Encode() {}', /no function Decode/],
    ['a result that is no object', 'function decodeUplink() { return 5; }', /must return an object/],
    ['a getter that throws', 'function decodeUplink() { return { get data() { throw "no"; } }; }', /^no$/],
  ];
  for (const [name, script, error] of hostile)
    it(`ends with an error: ${name}`, async () => {
      const [result] = await run(script);
      assert.match(result?.error ?? '', error);
    });

  it('stops starting runs after two seconds, while uplinks of the same script are decoded', async () => {
    const endless = run('function Decode() { for (;;); }', 50);
    const uplink = { application: '1', fPort: 1, bytes: Uint8Array.of(1), variables: {}, receivedAt: context.now };
    assert.equal((await codecs.decode(customOf('var Decode = () => 1'), uplink)).objectJSON, '1');
    const errors = (await endless).map(({ error }) => error);
    assert.match(errors[0] ?? '', /longer than 100 ms/);
    assert.match(errors[49] ?? '', /^Not run: /);
  });

  it('says that a function must not be async', async () => {
    for (const [script, name] of [
      ['async function Decode() { return { a: 1 }; }', 'Decode'],
      ['async function decodeUplink() { return { data: {} }; }', 'decodeUplink'],
      ['function Decode() { return { then: function () {} }; }', 'Decode'],
    ] as const)
      assert.match((await run(script))[0]?.error ?? '', new RegExp(`${name} must not be async`));
  });

  it('gives up the test vectors of a script after three runs that exceed their time', async () => {
    const vector = { direction: 'UPLINK', fPort: 1, data: 'AA==', objectJSON: '{}' } as const;
    const vectors = Array.from({ length: 30 }, () => complete(CodecVector, vector));
    const problems = await runVectors(codecs, customOf('function Decode() { for (;;); }'), vectors, context);
    assert.equal(problems.filter((problem) => problem.startsWith('Not run')).length, 20);
  });

  it('runs a script that writes a value which cannot be shown', async () => {
    const [shown] = await run(
      'function Decode() { console.log({ toJSON: function () { throw 1; }, toString: function () { throw 2; } }); return { a: 1 }; }',
    );
    assert.deepEqual([shown?.error, shown?.console], ['', ['(a value that cannot be shown)']]);
  });

  it('keeps at most 100 lines of the console, and 4 kB', async () => {
    const [many] = await run('function Decode() { for (let n = 0; n < 500; n++) console.log(n); }');
    assert.equal(many?.console.length, 100);
    const [long] = await run('function Decode() { for (let n = 0; n < 50; n++) console.log("x".repeat(1000)); }');
    assert.ok((long?.console.join('\n').length ?? 0) <= 4096);
    const [replaced] = await run(
      'Array.prototype.push = String.prototype.slice = 0; function Decode() { console.log({ a: 1 }, 2n); }',
    );
    assert.deepEqual(replaced?.console, ['{"a":1} 2']);
  });
});
