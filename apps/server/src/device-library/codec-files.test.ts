import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { UnusableFiles } from './catalogue-types.ts';
import { readCodecFiles } from './codec-files.ts';
import { type FileLimits, fromTexts, readZip } from './file-sets.ts';
import { LenientJSONError, parseLenientJSON } from './lenient-json.ts';
import { zipOf } from './testing/test-catalogue.ts';

const limits: FileLimits = { files: 100, fileBytes: 600_000, totalBytes: 2_000_000 };
const script = 'function decodeUplink(input) { return { data: { a: input.bytes[0] } }; }';
const read = (files: Record<string, string>) =>
  readCodecFiles(
    fromTexts(
      Object.entries(files).map(([name, text]) => ({ name, text })),
      limits,
    ),
  );

const description = `
uplinkDecoder:
  fileName: sensor.js
  examples:
    - description: one byte
      input:
        fPort: 1
        bytes: [0x05]
        recvTime: 2026-01-02T03:04:05Z
      output:
        data: { a: 5 }
downlinkEncoder:
  fileName: sensor.js
  examples:
    - description: reboot
      input: { data: { reboot: true } }
      output: { bytes: [255], fPort: 3 }
`;

describe('the files of a codec', () => {
  it('are a script alone', () => {
    assert.deepEqual(read({ 'sensor.js': script }), {
      payloadDecoderScript: script,
      payloadEncoderScript: '',
      vectors: [],
      remarks: [],
    });
  });

  it('are the layout of ChirpStack 4, also in a ZIP file', () => {
    const files = {
      'codecs/sensor.js': script,
      'codecs/test_decode_sensor.json':
        '[{"name":"one","input":{"fPort":1,"bytes":[0x05]},"expected":{"data":{"a":5}}}]',
      'codecs/test_decode_other.json': '[]',
    };
    const { vectors, remarks } = readCodecFiles(readZip(zipOf(files), limits));
    assert.deepEqual(
      vectors.map(({ name, data, objectJSON }) => [name, data, objectJSON]),
      [['one', 'BQ==', '{"a":5}']],
    );
    assert.match(remarks[0]!.text, /^Not used: tests of sensor\.js are in test_decode_sensor\.json/);
  });

  it('are the layout of The Things Network', () => {
    const { payloadDecoderScript, payloadEncoderScript, vectors } = read({
      'sensor.js': script,
      'sensor-codec.yaml': description,
    });
    assert.deepEqual([payloadDecoderScript, payloadEncoderScript], [script, '']);
    assert.deepEqual(
      vectors.map(({ name, direction, fPort, data, receivedAt }) => [name, direction, fPort, data, receivedAt]),
      [
        ['one byte', 'UPLINK', 1, 'BQ==', '2026-01-02T03:04:05.000Z'],
        ['reboot', 'DOWNLINK', 3, '/w==', null],
      ],
    );
  });

  const refused: readonly (readonly [name: string, files: Record<string, string>, RegExp])[] = [
    ['no script', { 'a.json': '[]' }, /There is no script/],
    ['several scripts', { 'a.js': '', 'b.js': '' }, /There are several scripts: a\.js, b\.js/],
    ['a description whose script is missing', { 'a.yaml': description }, /The script sensor\.js is missing/],
    [
      'a script in a folder above',
      { '../a.js': '' },
      /The script a\.js cannot be used\. The name leads out of the folder/,
    ],
    ['a script that is too long', { 'a.js': 'x'.repeat(262_145) }, /longer than 262144 characters/],
  ];
  for (const [name, files, sentence] of refused)
    it(`are refused with ${name}`, () =>
      assert.throws(
        () => read(files),
        (error) => error instanceof UnusableFiles && sentence.test(error.message),
      ));

  it('name the line of YAML with an error, and the rest is used', () => {
    const { remarks, payloadDecoderScript } = read({
      'a.js': script,
      'a.yaml': 'uplinkDecoder:\n  fileName: [a\nb: c: d\n',
    });
    assert.equal(payloadDecoderScript, script);
    assert.ok(remarks[0]!.line >= 2, JSON.stringify(remarks));
  });

  it('explain YAML that nests too deeply', () => {
    const { remarks } = read({ 'a.js': script, 'a.yaml': '['.repeat(20_000) });
    assert.match(remarks[0]!.text, /it nests too deeply/);
  });

  it('cannot grow by references in YAML', () => {
    const levels = Array.from(
      { length: 12 },
      (_, at) => `l${at + 1}: &l${at + 1} [${Array(9).fill(`*l${at}`).join(', ')}]`,
    );
    const { remarks } = read({ 'a.js': script, 'a.yaml': `l0: &l0 x\n${levels.join('\n')}\n` });
    assert.match(remarks[0]!.text, /too many references/);
  });
});

describe('JSON of test files', () => {
  const values: readonly (readonly [text: string, value: unknown])[] = [
    ['[1, 0x1F, -0x2, .5, 1e3, +3]', [1, 31, -2, 0.5, 1000, 3]],
    ['{a: 1, "b": \'it\\\'s\', /* c */ c: "x" /* d */, }', { a: 1, b: "it's", c: 'x' }],
    ['\'a "quoted" word\'', 'a "quoted" word'],
    ['// nothing\n[true, false, null,]', [true, false, null]],
    ['"\\u00e9\\n"', 'é\n'],
  ];
  for (const [text, value] of values) it(`reads ${text}`, () => assert.deepEqual(parseLenientJSON(text), value));

  const broken: readonly (readonly [text: string, line: number])[] = [
    ['', 1],
    ['[1 2]', 1],
    ['{\n"a"\n}', 3],
    ['[\n\n"a', 3],
    ['["\\x"]', 1],
    ['[1] x', 1],
    ['['.repeat(5000), 1],
    ['/* no end', 1],
  ];
  for (const [text, line] of broken)
    it(`names line ${line} of ${JSON.stringify(text.slice(0, 20))}`, () =>
      assert.throws(
        () => parseLenientJSON(text),
        (error) => error instanceof LenientJSONError && error.line === line,
      ));
});
