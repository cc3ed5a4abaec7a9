import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  as,
  common,
  create,
  fromBinary,
  gw,
  integration,
  type Kind,
  type Message,
  type MessageOf,
  map,
  message,
  ns,
  RpcError,
  repeated,
  timestamp,
  toBinary,
} from './index.ts';

const messages = [common, gw, ns, as, integration].flatMap((exported) =>
  (Object.values(exported) as { kind: string }[]).filter((one): one is Message => one.kind === 'message'),
);

/** A repeatable source of small numbers (mulberry32). */
function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % sides;
  };
}

const examples: Record<string, (roll: (sides: number) => number) => unknown> = {
  double: (roll) => [0, -0.5, 1e300, Number.POSITIVE_INFINITY, roll(1000) / 7][roll(5)],
  float: (roll) => [0, -1.5, 0.25, 75.5][roll(4)],
  int32: (roll) => [0, -1, 2 ** 31 - 1, -(2 ** 31), roll(300)][roll(5)],
  uint32: (roll) => [0, 127, 128, 2 ** 32 - 1, roll(2 ** 31)][roll(5)],
  int64: (roll) => ['0', '-1', '9223372036854775807', '-9223372036854775808'][roll(4)],
  uint64: (roll) => ['0', '1', '18446744073709551615'][roll(3)],
  bool: (roll) => roll(2) === 1,
  string: (roll) => ['', 'ascii', 'Straße 🌿', 'x'.repeat(300)][roll(4)],
  bytes: (roll) => new Uint8Array(roll(20)).fill(roll(256)),
  timestamp: (roll) => [null, timestamp(-1), timestamp(1_700_000_000_123, 456_789), new Date(0)][roll(4)],
  duration: (roll) => [null, 0, -1500, 30_000, 0.000_001][roll(5)],
};

function example(kind: Kind, roll: (sides: number) => number): unknown {
  if (typeof kind === 'string') return examples[kind]!(roll);
  const some = (make: () => unknown) => Array.from({ length: roll(4) }, make);
  switch (kind.kind) {
    case 'enum':
      return [...kind.names.values()][roll(kind.names.size)];
    case 'repeated':
      return some(() => example(kind.item, roll) ?? {});
    case 'map':
      return Object.fromEntries(some(() => [String(roll(1000)), example(kind.value, roll)]) as [string, unknown][]);
    case 'message':
      return roll(4) === 0 ? null : exampleOf(kind, roll);
  }
}

function exampleOf(type: Message, roll: (sides: number) => number): object {
  const chosen = new Set<string>();
  const members: [string, unknown][] = [];
  for (const [name, [, kind, options]] of Object.entries(type.fields)) {
    if (options?.oneof !== undefined) {
      if (chosen.has(options.oneof) || roll(2) === 0) continue;
      chosen.add(options.oneof);
    }
    members.push([name, example(kind, roll)]);
  }
  return create(type, Object.fromEntries(members) as never);
}

const hex = (text: string) => Uint8Array.fromHex(text.replaceAll(' ', ''));
const refusal = (error: unknown) => error instanceof RpcError && error.code === 'InvalidArgument';

describe('the binary form', () => {
  it('is unchanged when read back, for every message', () => {
    for (const type of messages) {
      for (let seed = 0; seed < 20; seed++) {
        const value = exampleOf(type, dice(seed)) as MessageOf<Message>;
        assert.deepEqual(fromBinary(type, toBinary(type, value)), value, type.typeName);
      }
    }
  });

  it('equals the examples of the standard', () => {
    const Vector = message('test.Vector', {
      number: [1, 'int32'],
      text: [2, 'string'],
      child: [3, common.KeyEnvelope],
      packed: [6, repeated('int32')],
      names: [7, map('string', 'uint32')],
      when: [8, 'timestamp'],
      either: [9, 'uint32', { oneof: 'choice' }],
    });
    const cases: [Parameters<typeof create<typeof Vector>>[1], string][] = [
      [{}, ''],
      [{ number: 150 }, '08 96 01'],
      [{ number: -2 }, '08 fe ff ff ff ff ff ff ff ff 01'],
      [{ text: 'testing' }, '12 07 74 65 73 74 69 6e 67'],
      [{ child: {} }, '1a 00'],
      [{ packed: [3, 270, 86942] }, '32 06 03 8e 02 9e a7 05'],
      [{ names: { a: 1 } }, '3a 05 0a 01 61 10 01'],
      [{ when: timestamp(-1) }, '42 11 08 ff ff ff ff ff ff ff ff ff 01 10 c0 8f ae dc 03'],
      [{ either: 0 }, '48 00'],
    ];
    for (const [init, bytes] of cases) {
      const value = create(Vector, init);
      assert.equal(toBinary(Vector, value).toHex(), hex(bytes).toHex());
      assert.deepEqual(fromBinary(Vector, hex(bytes)), value);
    }
    // Lists may also be unpacked; unknown members and wrong wire types are skipped.
    assert.deepEqual(fromBinary(Vector, hex('30 03 32 02 8e 02')).packed, [3, 270]);
    assert.deepEqual(fromBinary(Vector, hex('f8 01 07 0d 01 02 03 04 fb 01 08 01 fc 01 08 05')).number, 5);
    assert.equal(fromBinary(Vector, hex('1a 02 12 00 1a 03 0a 01 61')).child?.kekLabel, 'a');
  });

  it('keeps the last member of a oneof', () => {
    const up = toBinary(ns.StreamFrameLogsForDeviceResponse, { uplinkFrameSet: create(ns.UplinkFrameLog) });
    const down = toBinary(ns.StreamFrameLogsForDeviceResponse, { downlinkFrame: create(ns.DownlinkFrameLog) });
    const both = fromBinary(ns.StreamFrameLogsForDeviceResponse, new Uint8Array([...up, ...down]));
    assert.deepEqual(Object.keys(both), ['downlinkFrame']);
  });

  it('leaves an enum at its default when it has no name for the number', () => {
    assert.equal(fromBinary(as.HandleErrorRequest, hex('18 63')).type, 'GENERIC');
  });

  it('treats a hostile map key like any other name', () => {
    const metadata = fromBinary(as.HandleGatewayStatsRequest, hex('4a 0e 0a 09 5f5f70726f746f5f5f 12 01 78')).metadata;
    assert.deepEqual(Object.entries(metadata), [['__proto__', 'x']]);
  });

  it('returns plain byte arrays', () => {
    const { aesKey } = fromBinary(common.KeyEnvelope, Buffer.from('12020102', 'hex'));
    assert.equal(Object.getPrototypeOf(aesKey), Uint8Array.prototype);
  });

  it('refuses invalid messages with one kind of error', () => {
    const broken = [
      '0a',
      '0a 05 01',
      '08',
      '08 ff ff ff ff ff ff ff ff ff ff ff',
      '00',
      '0f 00',
      '1a 02 0a 05',
      '3a 02 08',
    ];
    for (const bytes of [...broken, '1a 0a 08 ff ff ff ff ff ff ff ff 7f'])
      assert.throws(() => fromBinary(as.HandleGatewayStatsRequest, hex(bytes)), refusal, bytes);
    assert.throws(() => fromBinary(common.KeyEnvelope, hex('0a 01 ff')), refusal, 'text that is not UTF-8');
  });

  it('writes each message independently of refused and retained ones', () => {
    const of = message('test.Pair', { name: [1, 'string'], count: [2, 'uint32'] });
    const first = toBinary(of, { name: 'first', count: 1 });
    assert.throws(() => toBinary(of, { name: 'halfway', count: -1 }));
    assert.equal(toBinary(of, { name: 'other', count: 2 }).toHex(), '0a056f746865721002');
    assert.equal(first.toHex(), '0a0566697273741001');
    const long = 'x'.repeat(100_000);
    assert.equal(fromBinary(of, toBinary(of, { name: long, count: 3 })).name, long);
    assert.equal(toBinary(of, { name: '', count: 3 }).toHex(), '1003');
  });

  it('survives cut, changed and random bytes', () => {
    const roll = dice(7);
    let refused = 0;
    const attempt = (type: Message, bytes: Uint8Array) => {
      try {
        toBinary(type, fromBinary(type, bytes));
      } catch (error) {
        assert.ok(refusal(error), String(error));
        refused += 1;
      }
    };
    for (const type of messages) {
      const whole = toBinary(type, exampleOf(type, roll) as MessageOf<Message>);
      for (let end = 0; end < Math.min(whole.length, 60); end++) attempt(type, whole.subarray(0, end));
      for (let round = 0; round < 20; round++) {
        const twisted = whole.slice();
        if (twisted.length > 0) twisted[roll(twisted.length)] = roll(256);
        attempt(type, twisted);
        attempt(
          type,
          Uint8Array.from({ length: roll(40) }, () => roll(256)),
        );
      }
    }
    assert.ok(refused > 500);
  });
});
