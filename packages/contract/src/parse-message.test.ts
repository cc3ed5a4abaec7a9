import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiError, complete, Gateway, parseMessage, UplinkTXInfo } from './index.ts';
import {
  bool,
  bytes,
  duration,
  enumeration,
  float,
  int64,
  list,
  map,
  message,
  oneOf,
  text,
  timestamp,
  uint32,
} from './wire.ts';

const Everything = message('test.Everything', {
  word: text(),
  isOn: bool(),
  small: uint32(),
  large: int64(),
  ratio: float(),
  data: bytes(),
  at: timestamp(),
  every: duration(),
  colour: oneOf(enumeration('test.Colour', ['RED', 'GREEN'])),
  numbers: list(uint32()),
  words: map('text', text()),
  counts: map('uint32', uint32()),
});

function violations(run: () => unknown): readonly (readonly [string, string])[] {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof ApiError, String(error));
    assert.equal(error.code, 3);
    return error.fieldViolations.map(({ field, description }) => [field, description]);
  }
  return assert.fail('nothing was refused');
}

describe('parseMessage', () => {
  it('refuses empty items of a list whose items must be given', () => {
    const Names = message('test.Names', { names: list(text({ required: true })) });
    assert.deepEqual(
      violations(() => parseMessage(Names, { names: ['a', ' '] })),
      [['names[1]', 'Must be given.']],
    );
  });

  it('refuses null for a number that must not become 0 by mistake', () => {
    const Limit = message('test.Limit', { lowerLimit: float({ notNull: true }) });
    assert.deepEqual(parseMessage(Limit, {}), { lowerLimit: 0 });
    assert.deepEqual(parseMessage(Limit, { lowerLimit: null, lower_limit: 2 }), { lowerLimit: 2 });
    for (const json of [{ lowerLimit: null }, { lower_limit: null }, { lowerLimit: Number.NaN }])
      assert.deepEqual(
        violations(() => parseMessage(Limit, json)),
        [['lowerLimit', 'Must be a number.']],
      );
  });

  it('gives every absent field its default', () => {
    const defaults = {
      word: '',
      isOn: false,
      small: 0,
      large: '0',
      ratio: 0,
      data: null,
      at: null,
      every: null,
      colour: 'RED',
      numbers: [],
      words: {},
      counts: {},
    };
    assert.deepEqual(parseMessage(Everything, {}), defaults);
    const nulls = Object.fromEntries(Object.keys(defaults).map((name) => [name, null]));
    assert.deepEqual(parseMessage(Everything, nulls), defaults);
  });

  const accepted: readonly (readonly [keyof typeof Everything.fields, unknown, unknown])[] = [
    ['isOn', true, true],
    ['small', 42, 42],
    ['small', '42', 42],
    ['small', 4294967295, 4294967295],
    ['large', 7, '7'],
    ['large', '-7', '-7'],
    ['large', '9223372036854775807', '9223372036854775807'],
    ['large', '-9223372036854775808', '-9223372036854775808'],
    ['ratio', '1.5e3', 1500],
    ['ratio', -0.25, -0.25],
    ['data', 'AOE=', 'AOE='],
    ['data', '', null],
    ['at', '2023-03-01T10:15:30.123456Z', '2023-03-01T10:15:30.123456Z'],
    ['at', '2023-03-01T10:15:30.5+02:00', '2023-03-01T08:15:30.5Z'],
    ['every', '30s', '30s'],
    ['every', '1h0.5s', '3600.500s'],
    ['every', '1500ms', '1.500s'],
    ['colour', 'GREEN', 'GREEN'],
    ['colour', 1, 'GREEN'],
    ['numbers', ['1', 2], [1, 2]],
    ['words', { b: 'x', a: '' }, { a: '', b: 'x' }],
    ['counts', { '868100000': 3 }, { '868100000': 3 }],
  ];
  for (const [name, given, expected] of accepted) {
    it(`reads ${name} ${JSON.stringify(given)}`, () => {
      assert.deepEqual(parseMessage(Everything, { [name]: given })[name], expected);
    });
  }

  const refused: readonly (readonly [keyof typeof Everything.fields, unknown])[] = [
    ['word', 7],
    ['word', 'a\0b'],
    ['isOn', 'true'],
    ['isOn', 1],
    ['small', -1],
    ['small', 4294967296],
    ['small', 1.5],
    ['small', ''],
    ['small', '0x10'],
    ['small', true],
    ['large', '9223372036854775808'],
    ['large', 2 ** 53],
    ['large', 'seven'],
    ['ratio', 'NaN'],
    ['ratio', '1.2.3'],
    ['data', 'AOE'],
    ['data', '!!!!'],
    ['at', '2023-03-01'],
    ['at', '2023-02-30T10:00:00Z'],
    ['at', '2023-02-30T10:00:00+01:00'],
    ['at', '2023-02-03T25:00:00Z'],
    ['at', '0000-01-01T00:00:00Z'],
    ['at', 1677665730],
    ['every', '30'],
    ['every', 30],
    ['every', '30 s'],
    ['every', 's'],
    ['colour', 'BLUE'],
    ['colour', 2],
    ['colour', 'toString'],
    ['numbers', 7],
    ['numbers', { length: 1 }],
    ['words', []],
    ['words', 'a'],
    ['counts', { many: 1 }],
  ];
  for (const [name, given] of refused) {
    it(`refuses ${name} ${JSON.stringify(given)}`, () => {
      const [first] = violations(() => parseMessage(Everything, { [name]: given }));
      assert.equal(first?.[0].split('.')[0], name);
    });
  }

  it('names the path of a wrong item', () => {
    assert.deepEqual(
      violations(() => parseMessage(Everything, { numbers: [1, 'x'], words: { a: 1 } })),
      [
        ['numbers[1]', 'Must be a whole number from 0 to 4294967295.'],
        ['words.a', 'Must be text without the character U+0000.'],
      ],
    );
  });

  for (const name of ['__proto__', 'constructor', 'prototype']) {
    it(`refuses ${name} as the name of a map entry`, () => {
      const json: unknown = JSON.parse(`{"words":{"${name}":"x"}}`);
      assert.equal(violations(() => parseMessage(Everything, json))[0]?.[0], 'words');
      assert.equal(({} as Record<string, unknown>)['x'], undefined);
    });
  }

  it('reads the names of map entries as text', () => {
    const named = (name: string) => () => parseMessage(Everything, { words: { [name]: 'x' } });
    assert.deepEqual(violations(named('a\0b')), [['words', 'The names must be text without the character U+0000.']]);
    assert.deepEqual(named('\ud800')().words, { '\ufffd': 'x' });
    const [long] = violations(() => parseMessage(Everything, { words: { ['x'.repeat(5000)]: 1 } }));
    assert.ok(long![0].length < 150);
  });

  it('ignores unknown members, including those named like members of Object.prototype', () => {
    const json: unknown = JSON.parse('{"unknown":1,"__proto__":{"word":"x"},"constructor":{},"toString":1}');
    assert.equal(parseMessage(Everything, json).word, '');
  });

  it('stops at twenty violations', () => {
    const numbers = Array.from({ length: 5000 }, () => 'x');
    assert.equal(violations(() => parseMessage(Everything, { numbers })).length, 20);
  });
});

describe('complete', () => {
  it('fills sub-objects and items too, in declaration order', () => {
    const gateway = complete(Gateway, { boards: [{ fpgaID: '01' }], location: { latitude: 1 }, name: 'gw' });
    assert.deepEqual(gateway.boards, [{ fpgaID: '01', fineTimestampKey: '' }]);
    assert.deepEqual(gateway.location, { latitude: 1, longitude: 0, altitude: 0, source: 'UNKNOWN', accuracy: 0 });
    assert.deepEqual(Object.keys(gateway), Object.keys(Gateway.fields));
    assert.equal(complete(Gateway, {}).location, null);
  });

  it('omits unset members of a oneof', () => {
    assert.deepEqual(Object.keys(complete(UplinkTXInfo, { fskModulationInfo: { datarate: 50_000 } })), [
      'frequency',
      'modulation',
      'fskModulationInfo',
    ]);
  });
});
