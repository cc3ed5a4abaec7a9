import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { after, describe, it, mock } from 'node:test';
import { Worker } from 'node:worker_threads';
import { startPayloadCodecs } from './codec.ts';

describe('custom JavaScript codec', () => {
  const codecs = startPayloadCodecs();
  after(() => codecs.stop());

  const receivedAt = new Date('2026-11-27T10:00:00Z');
  const decode = async (
    script: string,
    bytes = [0, 225],
    variables: Record<string, string> = {},
    application = '1',
  ) => {
    const codec = { codec: 'CUSTOM_JS', decoderScript: script, encoderScript: '' };
    const uplink = { application, fPort: 10, bytes: Uint8Array.from(bytes), variables, receivedAt };
    return (await codecs.decode(codec, uplink)).objectJSON;
  };
  const encode = async (script: string, json: string) => {
    const codec = { codec: 'CUSTOM_JS', decoderScript: '', encoderScript: script };
    return (await codecs.encode(codec, { application: '1', fPort: 3, json, variables: { k: '2' } })).bytes;
  };

  const good =
    'function Decode(fPort, bytes, variables) { return { m: ((bytes[0] << 8) | bytes[1]) / 10, fPort, variables }; }';

  it('passes fPort, bytes and variables, and returns the object', async () => {
    assert.deepEqual(JSON.parse(await decode(good, [0, 225], { site: 'north' })), {
      m: 22.5,
      fPort: 10,
      variables: { site: 'north' },
    });
  });

  it('has the arguments as globals, and accepts an arrow function as Decode', async () => {
    assert.equal(await decode('const Decode = () => ({ n: bytes.length, p: fPort })'), '{"n":2,"p":10}');
  });

  it('returns null when the script returns nothing', async () => {
    assert.equal(await decode('function Decode() {}'), 'null');
  });

  it('forgets everything between two calls', async () => {
    const script =
      'var seen = (globalThis.seen || 0) + 1; Object.prototype.x = 1; function Decode() { return seen++; }';
    assert.equal(await decode(script), '1');
    assert.equal(await decode(script), '1');
    assert.equal(await decode('function Decode() { return { x: ({}).x === undefined }; }'), '{"x":true}');
  });

  const refusals: [name: string, script: string, message: RegExp][] = [
    ['no function', 'var x = 1', /no function Decode/],
    ['a syntax error', 'function Decode( {', /SyntaxError/],
    ['a thrown error, with its line', '\nfunction Decode() { throw new Error("odd"); }', /Error: odd \(line 2\)/],
    ['a thrown text', 'function Decode() { throw "plain"; }', /^plain$/],
    ['an endless loop', 'function Decode() { for (;;); }', /longer than 100 ms/],
    ['endless recursion', 'function Decode() { return Decode(); }', /stack/i],
    ['a memory bomb', 'function Decode() { var a = []; for (;;) a.push(new Array(1000).fill("x")); }', /memory|longer/],
    [
      'a long native call',
      'function Decode() { var a = []; a.length = 4294967295; return a.join("x"); }',
      /memory|longer/,
    ],
    ['a large result', 'function Decode() { return "x".repeat(70000); }', /larger than 64 KB/],
    [
      'a deep result',
      'function Decode() { var o = 1; for (var i = 0; i < 101; i++) o = { o }; return o; }',
      /100 levels/,
    ],
    ['a circular result', 'function Decode() { var a = {}; a.a = a; return a; }', /circular/],
    ['process', 'function Decode() { return process.env; }', /not defined/],
    ['fetch', 'function Decode() { return fetch("x"); }', /not defined/],
    ['require', 'function Decode() { return require("fs"); }', /not defined/],
  ];
  for (const [name, script, message] of refusals) {
    it(`refuses ${name}`, async () => {
      await assert.rejects(decode(script), { name: 'CodecError', message });
    });
  }

  it('runs the calls of other devices when a hostile script is killed', async () => {
    const hostile = 'function Decode() { var a = []; a.length = 4000000000; return a.indexOf(1) + a.join(""); }';
    const calls = Array.from({ length: 60 }, (_, index) => decode(index % 20 === 5 ? hostile : good));
    const outcomes = await Promise.allSettled(calls);
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      outcomes.map((_, index) => (index % 20 === 5 ? 'rejected' : 'fulfilled')),
    );
  });

  it('passes the calls of one turn of the event loop in one message', async () => {
    // The queue passes more calls at once for a script that is known to be quick.
    for (let n = 0; n < 20; n++) await decode(good);
    const handed = mock.method(Worker.prototype, 'postMessage');
    const results = await Promise.all(Array.from({ length: 30 }, (_, n) => decode(good, [0, n])));
    assert.equal(handed.mock.callCount(), 1);
    handed.mock.restore();
    assert.deepEqual(
      results.map((result) => (JSON.parse(result) as { m: number }).m * 10),
      results.map((_, n) => n),
    );
  });

  it('runs trials in a thread of low priority', { skip: process.platform !== 'linux' }, async () => {
    const own = startPayloadCodecs();
    const codec = { codec: 'CUSTOM_JS', decoderScript: good, encoderScript: '' };
    const uplink = { application: '1', fPort: 1, bytes: Uint8Array.of(1, 2), variables: {}, receivedAt };
    const counts = [lowThreads()];
    await own.decode(codec, uplink);
    counts.push(lowThreads());
    await own.tryDecode(codec, uplink);
    counts.push(lowThreads());
    await own.stop();
    assert.deepEqual(
      counts.map((count) => count - counts[0]!),
      [0, 0, 1],
    );
  });

  it('keeps the decoded object when normalizeUplink does not end', async () => {
    const script = 'function decodeUplink() { return { data: { t: 1 } }; } function normalizeUplink() { for (;;); }';
    const codec = { codec: 'CUSTOM_JS', decoderScript: script, encoderScript: '' };
    const uplink = { application: '1', fPort: 1, bytes: Uint8Array.of(1), variables: {}, receivedAt };
    // On a busy machine the time limit of the script takes longer than the time after which its thread is ended.
    const own = startPayloadCodecs({ limits: { killAfterMs: 60_000 } });
    const { objectJSON, warnings } = await own.decode(codec, uplink).finally(() => own.stop());
    assert.equal(objectJSON, '{"t":1}');
    assert.match(warnings![0]!, /^normalizeUplink: The script ran longer/);
  });

  it('fails the calls of threads that do not start in time', async () => {
    let lost = 0;
    const own = startPayloadCodecs({ limits: { startWithinMs: -1 }, onThreadLost: () => (lost += 1) });
    const codec = { codec: 'CUSTOM_JS', decoderScript: good, encoderScript: '' };
    const uplink = { application: '1', fPort: 1, bytes: Uint8Array.of(1), variables: {}, receivedAt };
    await assert.rejects(own.decode(codec, uplink), /engine cannot be started/);
    assert.equal(lost, 3);
    await own.stop();
  });

  it('queues only a few calls of a slow script', async () => {
    const slow = 'function Decode() { for (;;); /* slow one */ }';
    await assert.rejects(decode(slow));
    const outcomes = await Promise.allSettled(Array.from({ length: 12 }, () => decode(slow)));
    const messages = outcomes.map((outcome) => (outcome.status === 'rejected' ? String(outcome.reason) : ''));
    assert.equal(messages.filter((message) => message.includes('too slow for its traffic')).length, 4);
  });

  describe('with a slow script', () => {
    const takes = (ms: number) =>
      `function Decode() { var end = Date.now() + ${ms}; while (Date.now() < end); return ${ms}; }`;

    it('delays only its own application', async () => {
      await Promise.all([decode(good), decode(takes(11), [], {}, 'busy')]);
      const order: string[] = [];
      const calls = Array.from({ length: 40 }, () => decode(takes(11), [], {}, 'busy').then(() => order.push('busy')));
      for (const application of ['a', 'b', 'c'])
        calls.push(decode(good, [0, 1], {}, application).then(() => order.push(application)));
      await Promise.all(calls);
      assert.deepEqual(new Set(order.slice(0, 12)), new Set(['busy', 'a', 'b', 'c']), order.join(' '));
    });

    it('counts as slow only after a second slow call', async () => {
      const script = `function Decode() { var end = Date.now() + (bytes[0] ? 60 : 0); while (Date.now() < end); return 1; }`;
      await decode(script, [1], {}, 'cold');
      const calls = Array.from({ length: 40 }, () => decode(script, [0], {}, 'cold'));
      assert.deepEqual(new Set(await Promise.all(calls)), new Set(['1']));
    });

    it('refuses calls beyond two seconds of work', async () => {
      let refused = 0;
      const own = startPayloadCodecs({ onRefused: () => (refused += 1) });
      const codec = { codec: 'CUSTOM_JS', decoderScript: takes(10), encoderScript: '' };
      const uplink = { application: '1', fPort: 1, bytes: Uint8Array.of(), variables: {}, receivedAt };
      await own.decode(codec, uplink);
      const calls = Array.from({ length: 5000 }, () => own.decode(codec, uplink));
      const outcomes = Promise.allSettled(calls);
      try {
        await assert.rejects(calls.at(-1)!, /too slow for its traffic/);
        const quick = { ...codec, decoderScript: 'var Decode = () => 1' };
        assert.equal((await own.decode(quick, { ...uplink, application: '2' })).objectJSON, '1');
      } finally {
        await own.stop();
      }
      const failed = (await outcomes).filter(({ status }) => status === 'rejected');
      assert.ok(refused > 0 && refused <= failed.length);
    });
  });

  it('encodes an object to bytes', async () => {
    assert.deepEqual(
      await encode(
        'function Encode(fPort, obj, variables) { return [fPort, obj.v, Number(variables.k), 4.0]; }',
        '{"v":200}',
      ),
      Uint8Array.of(3, 200, 2, 4),
    );
  });

  for (const result of ['[256]', '[-1]', '[1.5]', '"text"', '{}', 'undefined']) {
    it(`refuses ${result} from Encode`, async () => {
      await assert.rejects(encode(`function Encode() { return ${result}; }`, '{}'), /whole numbers from 0 to 255/);
    });
  }

  it('refuses to encode text that is not JSON, and without a codec', async () => {
    await assert.rejects(encode('function Encode() { return []; }', '{'), /not valid JSON/);
    const none = { codec: '', decoderScript: '', encoderScript: '' };
    await assert.rejects(
      codecs.encode(none, { application: '1', fPort: 1, json: '{}', variables: {} }),
      /no payload codec/,
    );
    const uplink = { application: '1', fPort: 1, bytes: Uint8Array.of(1), variables: {}, receivedAt };
    assert.deepEqual(await codecs.decode(none, uplink), { objectJSON: '' });
  });
});

/** The threads of this process that yield to the others; their priority is the 19th field. */
function lowThreads(): number {
  const priorities = readdirSync('/proc/self/task').map((thread) => {
    const status = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8');
    return Number(status.slice(status.lastIndexOf(')')).split(' ')[17]);
  });
  return priorities.filter((priority) => priority > 0).length;
}
