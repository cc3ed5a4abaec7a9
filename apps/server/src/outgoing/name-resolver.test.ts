import assert from 'node:assert/strict';
import type { LookupAddress } from 'node:dns';
import { describe, it, mock } from 'node:test';
import { createNameResolver } from './name-resolver.ts';

const one = (address: string): LookupAddress[] => [{ address, family: 4 }];

/** Names whose answers the test gives, and a clock it moves. */
function setup() {
  const asked: { host: string; answer: (addresses: LookupAddress[]) => void; fail: (code?: string) => void }[] = [];
  let ms = 0;
  const names = createNameResolver({
    ask: (host) =>
      new Promise((resolve, reject) =>
        asked.push({
          host,
          answer: resolve,
          fail: (code = 'ENOTFOUND') => reject(Object.assign(new Error('no'), { code })),
        }),
      ),
    now: () => ms,
  });
  return { names, asked, pass: (more: number) => (ms += more) };
}

describe('names of outgoing addresses', () => {
  it('are asked for once in 30 s, failures once in 5 s', async () => {
    const { names, asked, pass } = setup();
    const both = Promise.all([names('a'), names('a')]);
    asked[0]!.answer(one('1.1.1.1'));
    assert.deepEqual(await both, [one('1.1.1.1'), one('1.1.1.1')]);
    pass(29_999);
    assert.deepEqual(await names('a'), one('1.1.1.1'));
    assert.equal(asked.length, 1);
    pass(1);
    const again = names('a');
    asked[1]!.fail();
    assert.deepEqual(await again, []);
    pass(4_999);
    assert.deepEqual(await names('a'), []);
    pass(1);
    const third = names('a');
    asked[2]!.answer(one('2.2.2.2'));
    assert.deepEqual(await third, one('2.2.2.2'));
  });

  it('do not ask for addresses', async () => {
    const { names, asked } = setup();
    assert.deepEqual(await names('1.2.3.4'), one('1.2.3.4'));
    assert.equal(asked.length, 0);
  });

  it('ask two at once', async () => {
    const { names, asked } = setup();
    const all = ['a', 'b', 'c'].map((host) => names(host));
    assert.deepEqual(
      asked.map(({ host }) => host),
      ['a', 'b'],
    );
    asked[1]!.answer(one('1.1.1.1'));
    await all[1];
    asked[2]!.answer(one('2.2.2.2'));
    assert.deepEqual(await all[2], one('2.2.2.2'));
  });

  it('stay what they were for ten minutes while nobody can say', async () => {
    const { names, asked, pass } = setup();
    const first = names('a');
    asked[0]!.answer(one('1.1.1.1'));
    await first;
    for (let round = 1; round <= 116; round += 1) {
      pass(round === 1 ? 30_000 : 5_000);
      const again = names('a');
      asked[round]!.fail('EAI_AGAIN');
      assert.deepEqual(await again, round < 115 ? one('1.1.1.1') : [], `round ${round}`);
    }
  });

  it('that fail take one turn at a time, and come after others', async () => {
    const { names, asked, pass } = setup();
    const hosts = () => asked.splice(0).map(({ host, fail }) => [host, fail] as const);
    for (const host of ['dead1', 'dead2', 'dead3']) {
      const first = names(host);
      asked.pop()!.fail('EAI_AGAIN');
      await first;
    }
    pass(5_000);
    const dead = ['dead1', 'dead2', 'dead3'].map((host) => names(host));
    const well = names('well');
    const [[one1, fail1], [one2]] = hosts() as [[string, () => void], [string, () => void]];
    assert.deepEqual([one1, one2], ['dead1', 'well']);
    const other = names('other');
    fail1();
    await dead[0];
    assert.deepEqual(
      hosts().map(([host]) => host),
      ['other'],
    );
    void [well, other];
  });

  it('wait for no turn with an older answer', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      const { names, asked, pass } = setup();
      const first = names('a');
      asked[0]!.answer(one('1.1.1.1'));
      await first;
      pass(60_000);
      void [names('slow'), names('slower')];
      assert.deepEqual(await names('a'), one('1.1.1.1'));
      asked[1]!.fail();
      await new Promise(setImmediate);
      assert.equal(asked[3]!.host, 'a');
    } finally {
      mock.timers.reset();
    }
  });

  it('answer within 2 s, from what was known when there is something', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      const { names, asked, pass } = setup();
      const first = names('a');
      asked[0]!.answer(one('1.1.1.1'));
      await first;
      pass(60_000);
      const late = [names('a'), names('dead')];
      mock.timers.tick(2_000);
      assert.deepEqual(await Promise.all(late), [one('1.1.1.1'), []]);
    } finally {
      mock.timers.reset();
    }
  });
});
