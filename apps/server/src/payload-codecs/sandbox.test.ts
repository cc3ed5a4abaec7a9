import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';
import variant from '@jitl/quickjs-wasmfile-release-sync';
import { newQuickJSWASMModuleFromVariant, QuickJSContext } from 'quickjs-emscripten-core';
import { openSandbox, ScriptFault } from './sandbox.ts';

const quickjs = await newQuickJSWASMModuleFromVariant(variant as never);
const limits = { deadlineMs: 50, memoryBytes: 16 << 20, resultBytes: 64 << 10 };
let endsAt = Infinity;
/** A clock with long breaks, so that each script is cached at its fourth call. */
let now = 0;
const stage = openSandbox(
  quickjs,
  limits,
  () => performance.now() > endsAt,
  () => now,
);

function decode(script: string, bytes: readonly number[] = [0, 225]): string {
  endsAt = performance.now() + limits.deadlineMs;
  now += 1000;
  return stage.call({ direction: 'uplink', script, fPort: 10, at: 0, input: JSON.stringify(bytes), variables: '{}' })
    .json;
}

describe('a cached script, whose outermost statements are not run again', () => {
  const several = (script: string, inputs: readonly number[][], calls = 12) => {
    const results: unknown[] = [];
    for (let n = 0; n < calls; n++) results.push(JSON.parse(decode(script, inputs[n % inputs.length])));
    return results;
  };
  const twelve = (of: (n: number) => unknown) => Array.from({ length: 12 }, (_, n) => of(n));

  const forgetful: [name: string, script: string][] = [
    ['variables', 'var n = 0, Decode = () => ++n'],
    ['lexical ones', 'let n = 0; function Decode() { n += 1; return n; }'],
    [
      'members of what is there',
      'function Decode() { Array.prototype.n = (Array.prototype.n || 0) + 1; return [].n; }',
    ],
    [
      'what it replaced',
      'function Decode() { var was = JSON.n || 1; JSON = { n: 2 }; Math.random = null; return was; }',
    ],
    [
      'what it froze',
      'function Decode() { var was = Object.isFrozen(globalThis) ? 2 : 1; Object.freeze(globalThis); return was; }',
    ],
    ['what it deleted', 'function Decode() { var n = globalThis.bytes ? 1 : 2; delete globalThis.bytes; return n; }'],
  ];
  for (const [name, script] of forgetful)
    it(`forgets ${name}`, () => {
      assert.deepEqual(
        several(script, [[1]]),
        twelve(() => 1),
      );
    });

  const asking: [name: string, script: string][] = [
    ['an argument', 'var first = bytes[0]; function Decode() { return first; }'],
    [
      'an argument that may be missing',
      'var first = typeof bytes === "object" && bytes[0]; function Decode() { return first; }',
    ],
    ['an argument by another name', 'var first = globalThis["by" + "tes"][0]; function Decode() { return first; }'],
    [
      'an argument that it sets',
      'bytes = [bytes[0]]; function Decode(_, given) { return bytes[0] === given[0] ? given[0] : -1; }',
    ],
    ['an argument after a prototype has one', 'Object.prototype.bytes = 7; function Decode() { return bytes[0]; }'],
    ['an argument of a world that is frozen', 'Object.freeze(globalThis); function Decode() { return bytes[0]; }'],
  ];
  for (const [name, script] of asking)
    it(`reads ${name} in each call`, () => {
      assert.deepEqual(
        several(script, [[1], [2], [3]]),
        twelve((n) => (n % 3) + 1),
      );
    });

  it('may define a function with the name of an argument', () => {
    assert.deepEqual(
      several('function bytes() {} function Decode() { return typeof bytes; }', [[1]]),
      twelve(() => 'function'),
    );
  });

  for (const [name, script] of [
    ['at its beginning', 'var chance = Math.random(); function Decode() { return chance; }'],
    ['when it is called', 'function Decode() { return Math.random(); }'],
  ] as const)
    it(`draws other random numbers ${name}`, () => {
      const drawn = several(script, [[1]]) as number[];
      assert.equal(new Set(drawn).size, 12);
      assert.ok(drawn.every((one) => one >= 0 && one < 1));
    });

  for (const [name, script] of [
    ['at its beginning', 'var at = new Date().getTime(); function Decode() { return at; }'],
    ['when it is called', 'function Decode() { return Date.now(); }'],
  ] as const)
    it(`reads the current time ${name}`, () => {
      for (let n = 0; n < 8; n++) {
        const before = Date.now();
        const scriptTime = Number(decode(script));
        assert.ok(before <= scriptTime && scriptTime <= Date.now());
      }
    });

  it('finds memory cleared that other scripts have filled', () => {
    const filling = 'function Decode() { var all = new Uint8Array(8000000).fill(255); return all.length; }';
    const looking = 'function Decode() { return new Uint8Array(8000000).indexOf(255); }';
    for (let n = 0; n < 6; n++) {
      assert.equal(decode(filling), '8000000');
      assert.equal(decode(looking), '-1');
    }
  });

  it('fails as in the first call, without effects on other scripts', () => {
    const broken = '\nfunction Decode(_, bytes) { if (bytes[0] > 0) throw new Error("odd"); return 1; }';
    const endless = '\nfunction Decode() { return Decode() + 1; }';
    const full = 'var all = []; function Decode() { for (;;) all.push(new Array(1000).fill(1)); }';
    const none = 'var decode = () => 1;';
    const worse = 'while (true) {}';
    const fails = (script: string, message: RegExp, bytes?: readonly number[]) =>
      assert.throws(
        () => decode(script, bytes),
        (error) => error instanceof ScriptFault && message.test(error.message),
      );
    for (let n = 0; n < 7; n++) {
      fails(broken, /^Error: odd \(line 2\)$/, [1]);
      fails(endless, /stack/i);
      fails(full, /memory|longer/);
      fails(none, /no function Decode/);
      fails(worse, /longer than 50 ms/);
      assert.equal(decode(broken, [0]), '1');
      assert.equal(decode('const Decode = () => bytes.length'), '2');
    }
  });

  it('reports any thrown value, and continues', () => {
    const odd: [thrown: string, message: RegExp][] = [
      ['{ message: { toString: 1 } }', /^Error: \{"toString":1\}$/],
      ['{ name: 5, stack: { toString: 1 } }', /^5: $/],
      ['Promise.resolve(4)', /4/],
      ['Promise.resolve(5n)', /./],
      ['Symbol("one")', /one/],
      ['null', /^null$/],
      ['{ get message() { throw 1; }, get stack() { throw 2; }, toString() { throw 3; } }', /./],
      ['new Proxy({}, { get() { throw 1; }, ownKeys() { throw 1; } })', /./],
      ['""', /has no text/],
      ['{}', /has no text: throw an Error\.$/],
      ['{ toString() { while (1); } }', /has no text/],
      ['{ code: 5 }', /^\{"code":5\}$/],
      ['new Error("a\u202e\u0007b")', /^Error: a\ufffd\ufffdb/],
    ];
    for (const [thrown, message] of odd)
      assert.throws(
        () => decode(`function Decode() { throw ${thrown}; }`),
        (error) => error instanceof ScriptFault && message.test(error.message),
        thrown,
      );
  });

  it('may make its arguments read-only', () => {
    for (const how of ['configurable', 'enumerable']) {
      const script = `Object.defineProperty(globalThis, 'bytes', { ${how}: false });
        function Decode() { return [bytes[0], Object.getOwnPropertyDescriptor(globalThis, 'bytes').${how}]; }`;
      assert.deepEqual(
        several(script, [[1]]),
        twelve(() => [1, false]),
      );
    }
  });

  it('has its whole time limit for each call, also for the one before it is cached', () => {
    let [asked, most] = [0, Infinity];
    const own = openSandbox(
      quickjs,
      limits,
      () => ++asked > most,
      () => (now += 1000),
    );
    const script = 'for (var n = 0; n < 80000; n++); var first = bytes[0]; function Decode() { return first; }';
    for (let n = 0; n < 8; n++) {
      asked = 0;
      const call = { direction: 'uplink', script, fPort: 1, at: 0, input: `[${n}]`, variables: '{}' } as const;
      assert.equal(own.call(call).json, String(n));
      if (n === 0) most = asked * 1.5;
    }
  });

  it('is cached only up to a limit of size and number', () => {
    const read = mock.method(QuickJSContext.prototype, 'evalCode');
    const script = `function Decode() { return 1; } // ${'-'.repeat(100_000)}`;
    for (let n = 0; n < 6; n++) decode(script);
    const before = read.mock.callCount();
    decode(script);
    assert.ok(read.mock.callCount() > before);
    read.mock.restore();
  });

  it('keeps many scripts apart', () => {
    const scriptOf = (n: number) => `var own = ${n}; function Decode(_, bytes) { return own + bytes[0]; }`;
    for (let round = 0; round < 6; round++)
      for (let n = 0; n < 120; n++) assert.equal(decode(scriptOf(n), [round]), String(n + round));
  });

  it('is not parsed again', () => {
    const read = mock.method(QuickJSContext.prototype, 'evalCode');
    const script = 'var own = 1; function Decode() { return own; }';
    for (let n = 0; n < 4; n++) decode(script);
    const before = read.mock.callCount();
    for (let n = 0; n < 10; n++) decode(script);
    assert.equal(read.mock.callCount(), before);
    read.mock.restore();
  });
});
