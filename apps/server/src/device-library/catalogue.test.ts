import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { strToU8, zipSync } from 'fflate';
import { readCatalogue } from './catalogue.ts';
import { UnusableFiles } from './catalogue-types.ts';
import { type FileLimits, readFolder, readZip } from './file-sets.ts';
import { genericModels } from './generic-models.ts';
import { acme, profileFile, testCommit, zipOf } from './testing/test-catalogue.ts';

const limits: FileLimits = { files: 100, fileBytes: 20_000, totalBytes: 100_000 };

const read = (files: Readonly<Record<string, string>>) => readCatalogue(readZip(zipOf(files), limits));
const withFiles = (files: Readonly<Record<string, string>>) => read({ ...acme, ...files });
const problems = (files: Readonly<Record<string, string>>) =>
  withFiles(files).problems.map(({ file, line, text }) => `${file}:${line} ${text}`);

describe('a catalogue', () => {
  it('is read with vendors, models, codecs, vectors and licences', () => {
    const { version, license, vendors, models, codecs, problems: none } = read(acme);
    assert.equal(version, testCommit.slice(0, 12));
    assert.equal(license, 'The licence of the test catalogue.\n');
    assert.deepEqual(vendors, [
      { id: 'acme', name: 'Acme Sensors', vendorID: 613, homepage: 'https://acme.example.org/', license: '' },
    ]);
    assert.deepEqual(
      models.map(({ id, name, description, firmwares }) => [id, name, description, firmwares.length]),
      [['acme:thermo', 'Thermo 2000', 'Temperature sensor', 1]],
    );
    const [{ codec, profiles }] = models[0]!.firmwares as [(typeof models)[0]['firmwares'][0]];
    assert.equal(codec, 'acme/thermo.js');
    assert.deepEqual(
      profiles.map(({ id, region, vendorProfileID, deviceProfile }) => [
        id,
        region,
        vendorProfileID,
        deviceProfile.macVersion,
        deviceProfile.maxEIRP,
      ]),
      [
        ['EU868', 'EU868', 7, '1.0.3', 14],
        ['US915', 'US915', 7, '1.0.3', 14],
      ],
    );
    assert.equal(codecs[0]?.copyright, 'Copyright (c) 2026 Acme Sensors. SPDX-License-Identifier: MIT');
    assert.deepEqual(
      codecs[0]?.vectors.map(({ name, direction, fPort, data, objectJSON, errors }) => [
        name,
        direction,
        fPort,
        data,
        objectJSON,
        errors,
      ]),
      [
        ['21.4 °C', 'UPLINK', 2, 'ANY=', '{"temperature":21.4,"port":2}', []],
        ['an error', 'UPLINK', 2, 'AQ==', '', ['too short']],
        ['interval', 'DOWNLINK', 10, 'Cg==', '{"interval":10}', []],
      ],
    );
    assert.deepEqual(none, []);
  });

  it('keeps the licence of a vendor', () => {
    const { vendors } = withFiles({ 'vendors/acme/LICENSE.txt': 'BSD' });
    assert.equal(vendors[0]?.license, 'BSD');
  });

  it('is read from a folder, whose links are not followed', () => {
    const folder = mkdtempSync(join(tmpdir(), 'catalogue-'));
    try {
      for (const [name, text] of Object.entries(acme)) {
        mkdirSync(dirname(join(folder, name)), { recursive: true });
        writeFileSync(join(folder, name), text);
      }
      symlinkSync('/etc/hostname', join(folder, 'vendors/acme/LICENSE'));
      const { models, vendors } = readCatalogue(readFolder(folder, limits));
      assert.equal(models.length, 1);
      assert.equal(vendors[0]?.license, '');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('does not contain the example for authors', () => {
    const example = Object.fromEntries(
      Object.entries(acme).map(([name, text]) => [name.replace('vendors/acme', 'vendors/example-vendor'), text]),
    );
    assert.equal(withFiles(example).vendors.length, 1);
  });

  it('reads class B, class C and fixed receive windows of a profile', () => {
    const file = profileFile('AS923_2')
      .replace('supports_otaa = true', 'supports_otaa = false')
      .replaceAll('supports_class_b = false', 'supports_class_b = true')
      .replace('supports_class_c = false', 'supports_class_c = true')
      .replace('ping_slot_nb_k = 0', 'ping_slot_nb_k = 4')
      .replace('rx2_freq = 0', 'rx2_freq = 921400000')
      .replace('[profile.class_c]\ntimeout_secs = 0', '[profile.class_c]\ntimeout_secs = 120');
    const [model] = withFiles({ 'vendors/acme/profiles/EU868.toml': file }).models;
    const [one] = model!.firmwares[0]!.profiles;
    assert.equal(one?.region, 'AS923-2');
    const { supportsJoin, pingSlotPeriod, rxFreq2, classCTimeout } = one.deviceProfile;
    assert.deepEqual([supportsJoin, pingSlotPeriod, rxFreq2, classCTimeout], [false, 256, 921_400_000, 120]);
  });

  const device = 'vendors/acme/devices/thermo.toml';
  const odd: readonly (readonly [name: string, files: Record<string, string>, RegExp])[] = [
    [
      'TOML with an error',
      { 'vendors/acme/devices/b.toml': '[device]\nname = \n' },
      /^vendors\/acme\/devices\/b\.toml:2 The file is not valid TOML/,
    ],
    ['another table', { 'vendors/acme/devices/b.toml': '[thing]\n' }, /b\.toml:1 The table \[device\] is missing/],
    [
      'no firmware',
      { 'vendors/acme/devices/b.toml': '[device]\nname = "B"\nfirmware = []\n' },
      /b\.toml:3 No firmware of the device has a usable profile/,
    ],
    [
      'a name that is a number',
      { 'vendors/acme/devices/b.toml': acme[device].replace('"Thermo 2000"', '5') },
      /b\.toml:3 The name must have/,
    ],
    [
      'a missing profile',
      { [device]: acme[device].replace('US915.toml', 'US.toml') },
      /thermo\.toml:8 The file profiles\/US\.toml is missing/,
    ],
    [
      'a missing codec',
      { [device]: acme[device].replace('thermo.js', 'none.js') },
      /thermo\.toml:9 The file codecs\/none\.js is missing/,
    ],
    [
      'a device that the vendor names',
      {
        'vendors/acme/vendor.toml': acme['vendors/acme/vendor.toml'].replace(
          '"thermo.toml"',
          '"thermo.toml", "x.toml"',
        ),
      },
      /vendor\.toml:6 The file devices\/x\.toml is missing/,
    ],
    [
      'an unknown region',
      { 'vendors/acme/profiles/US915.toml': profileFile('MOON') },
      /US915\.toml:4 The region "MOON" is not known/,
    ],
    [
      'a number out of range',
      { 'vendors/acme/profiles/US915.toml': profileFile('US915').replace('max_eirp = 14', 'max_eirp = -1') },
      /US915\.toml:10 max_eirp must be a whole number from 0 to 40/,
    ],
    [
      'an unknown LoRaWAN version',
      { 'vendors/acme/profiles/US915.toml': profileFile('US915').replace('"1.0.3"', '"2.0"') },
      /US915\.toml:5 The LoRaWAN version "2\.0" is not known/,
    ],
    [
      'tests that are not JSON',
      { 'vendors/acme/codecs/test_decode_thermo.json': '[\n{ "name": }\n]' },
      /test_decode_thermo\.json:2 The file has an unexpected "}"/,
    ],
    [
      'tests that end too early',
      { 'vendors/acme/codecs/test_decode_thermo.json': '[\n{\n"name": "a"' },
      /test_decode_thermo\.json:3 The file ends too early/,
    ],
    [
      'a test whose bytes are none',
      { 'vendors/acme/codecs/test_decode_thermo.json': '[{"name":"a","input":{"bytes":[256]},"expected":{"data":1}}]' },
      /Test "a" is skipped: its bytes are not a list/,
    ],
    [
      'a large file',
      { 'vendors/acme/codecs/thermo.js': 'x'.repeat(20_001) },
      /codecs\/thermo\.js:0 The file is larger than 20 kB/,
    ],
  ];
  for (const [name, files, problem] of odd)
    it(`lists ${name} with file and line, and keeps the rest`, () => {
      const found = problems(files);
      assert.ok(
        found.some((text) => problem.test(text)),
        found.join('\n'),
      );
      assert.ok(withFiles(files).models.some(({ id }) => id === 'acme:thermo'));
    });
});

describe('a ZIP file that is none, or hostile', () => {
  const unusable = (bytes: Uint8Array, sentence: RegExp, own = limits) =>
    assert.throws(
      () => readCatalogue(readZip(bytes, own)),
      (error) => error instanceof UnusableFiles && sentence.test(error.message),
    );

  it('is refused when it is truncated or no ZIP file', () => {
    const whole = zipOf(acme);
    for (const length of [0, 4, 100, whole.length >> 1, whole.length - 70])
      unusable(whole.subarray(0, length), /not a complete ZIP file|No device was found/);
    unusable(Buffer.from('<html>'), /not a complete ZIP file/);
  });

  it('is refused when it unpacks to too much', () => {
    const bomb = { 'vendors/a/codecs/a.js': strToU8(' '.repeat(19_000)) };
    const many = Object.fromEntries(
      Array.from({ length: 6 }, (_, at) => [`vendors/a/codecs/${at}.js`, bomb['vendors/a/codecs/a.js']]),
    );
    unusable(zipSync(many), /larger than 98 kB in total/);
  });

  it('skips an entry that is longer than it declares', () => {
    const packed = zipSync({ 'vendors/a/codecs/a.js': strToU8('x'.repeat(10_000)) });
    const lie = Buffer.from(packed);
    const directory = lie.lastIndexOf(Buffer.from('PK\x01\x02', 'latin1'));
    lie.writeUInt32LE(10, directory + 24);
    const { files, problems } = readZip(lie, limits);
    assert.equal(files.size, 0);
    assert.match(problems[0]!.text, /checksum differs/);
  });

  it('skips damaged files, links and encrypted files, and names them', () => {
    const whole = zipSync({
      'a.js': [strToU8('abc'), { level: 0 }],
      'b.js': [strToU8('b'), { os: 3, attrs: 0xa1ff0000 }],
    });
    const damaged = Buffer.from(whole);
    damaged[damaged.indexOf('abc')] = 0x78;
    const { files, problems } = readZip(damaged, limits);
    assert.deepEqual([...files.keys()], []);
    assert.deepEqual(
      problems.map(({ file, text }) => `${file}: ${text}`),
      [
        'b.js: The file is a link or is encrypted. It was skipped.',
        'a.js: The file is damaged: its checksum differs. It was skipped.',
      ],
    );
  });

  it('is refused when it has too many files', () => {
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`vendors/a/codecs/${at}.md`, strToU8('')]));
    unusable(zipSync(many), /more than 100 files/);
  });

  it('has no names that lead out of its folder', () => {
    const { problems: found, files } = readZip(
      zipSync({ '../vendors/a/vendor.toml': strToU8('a'), '/etc/x.toml': strToU8('a'), 'a\\b.js': strToU8('a') }),
      limits,
    );
    assert.equal(files.size, 0);
    assert.equal(found.length, 3);
    assert.match(found[0]!.text, /leads out of the folder/);
  });

  it('is refused without a device', () => unusable(zipOf({ 'README.md': '' }), /^No device was found/));

  it('cannot change prototypes', () => {
    withFiles({
      'vendors/acme/codecs/test_decode_thermo.json':
        '[{"__proto__": {"polluted": 1}, "name": "a", "input": {"bytes": []}, "expected": {"data": {"__proto__": 1}}}]',
      'vendors/__proto__/vendor.toml': '[vendor]\nname = "x"',
    });
    assert.ok(!('polluted' in {}));
  });
});

describe('generic models', () => {
  it('cover class A and C from LoRaWAN 1.0.2 to 1.1, with and without Cayenne LPP', () => {
    assert.equal(genericModels.length, 14);
    assert.equal(new Set(genericModels.map(({ id }) => id)).size, 14);
  });
});
