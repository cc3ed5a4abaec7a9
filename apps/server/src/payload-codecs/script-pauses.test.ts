import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startPayloadCodecs } from './codec.ts';
import { createScriptPauses } from './script-pauses.ts';

const endless = 'function Decode() { for (;;); }';
const endlessOnce = 'function Decode(fPort, bytes) { for (; bytes[0] === 0; ); return { ok: true }; }';

describe('pauses of scripts', () => {
  it('begin with the third timeout within a minute, and grow up to a quarter of an hour', () => {
    let now = 1_000_000;
    const pauses = createScriptPauses(() => now);
    const threeTimes = () => [1, 2, 3].map(() => pauses.recordTimeout('s', '1')).at(-1);
    pauses.recordTimeout('s', '1');
    pauses.recordTimeout('s', '1');
    now += 60_000;
    assert.equal(pauses.recordTimeout('s', '1'), undefined);
    now += 60_000;
    for (const seconds of [30, 60, 120, 240, 480, 900, 900]) {
      assert.equal(threeTimes(), seconds * 1_000);
      assert.equal(pauses.isPaused('s', '1'), true);
      assert.equal(pauses.recordTimeout('s', '1'), undefined);
      now += seconds * 1_000;
      assert.equal(pauses.isPaused('s', '1'), false);
    }
    now += 31 * 60_000;
    assert.equal(threeTimes(), 30_000);
  });

  it('apply to one script of one application', () => {
    const pauses = createScriptPauses(() => 1_000_000);
    for (let count = 0; count < 3; count++) pauses.recordTimeout('s', '1');
    assert.equal(pauses.isPaused('s', '1'), true);
    assert.equal(pauses.isPaused('s', '2'), false);
    assert.equal(pauses.isPaused('changed', '1'), false);
  });
});

describe('a script that repeatedly exceeds its time limit', () => {
  /** Codecs with a stopped clock, and the recorded outcomes. */
  function start() {
    const counts = { pauses: 0, calls: 0 };
    const clock = { now: 1_000_000 };
    const codecs = startPayloadCodecs({
      onPause: () => (counts.pauses += 1),
      onPausedCall: () => (counts.calls += 1),
      monotonicMs: () => clock.now,
    });
    const decode = async (application: string, decoderScript: string, bytes = [0]) => {
      const codec = { codec: 'CUSTOM_JS', decoderScript, encoderScript: '' };
      const uplink = { application, fPort: 1, bytes: Uint8Array.from(bytes), variables: {}, receivedAt: new Date(0) };
      return (await codecs.decode(codec, uplink)).objectJSON;
    };
    return { counts, clock, decode, [Symbol.asyncDispose]: () => codecs.stop() };
  }

  it('is paused with one message, and delays no other script', async () => {
    await using server = start();
    const { decode, counts, clock } = server;
    const neighbour = 'function Decode(fPort, bytes) { return { first: bytes[0] }; }';
    const errors: Error[] = [];
    for (let round = 0; round < 20; round++) {
      const loop = decode('1', endless).catch((error: Error) => errors.push(error));
      assert.equal(await decode('2', neighbour, [round]), `{"first":${round}}`);
      await loop;
      clock.now += 200;
    }
    assert.equal(errors.length, 20);
    const messages = errors.filter(({ name }) => name === 'CodecError').map(({ message }) => message);
    assert.equal(messages.length, 3);
    assert.deepEqual(
      messages.map((message) => /paused for 30 s/.test(message)),
      [false, false, true],
    );
    assert.ok(errors.slice(3).every(({ name }) => name === 'CodecPausedError'));
    assert.deepEqual(counts, { pauses: 1, calls: 17 });
  });

  it('runs again when the pause is over, or at once when it is changed', async () => {
    await using server = start();
    const { decode, clock } = server;
    for (let count = 0; count < 3; count++) await assert.rejects(decode('1', endlessOnce), { name: 'CodecError' });
    await assert.rejects(decode('1', endlessOnce, [1]), { name: 'CodecPausedError' });
    assert.equal(await decode('1', `${endlessOnce} `, [1]), '{"ok":true}');
    assert.equal(await decode('2', endlessOnce, [1]), '{"ok":true}');
    clock.now += 30_000;
    assert.equal(await decode('1', endlessOnce, [1]), '{"ok":true}');
  });
});
