import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { createStrangers, type Strangers } from './strangers.ts';

const hourMs = 3_600_000;

describe('strangers', () => {
  let ms: number;
  let leftOut: number;
  let strangers: Strangers;
  const listed = () => strangers.list().map(({ id, times }) => `${id} ${times}`);
  beforeEach(() => {
    [ms, leftOut] = [0, 0];
    strangers = createStrangers({ now: () => new Date(ms), onLeftOut: () => (leftOut += 1), most: 3 });
  });

  it('are counted, the latest first', () => {
    strangers.knock('one', 'semtech-udp');
    ms = 1000;
    strangers.knock('other', 'mqtt');
    strangers.knock('one', 'semtech-udp');
    assert.deepEqual(listed(), ['one 2', 'other 1']);
    const [one] = strangers.list();
    assert.deepEqual([one?.link, one?.firstAt.getTime(), one?.lastAt.getTime()], ['semtech-udp', 0, 1000]);
  });

  it('are forgotten after an hour of silence', () => {
    strangers.knock('one', 'semtech-udp');
    ms = hourMs + 1;
    assert.deepEqual(listed(), []);
  });

  it('a flood of made-up ids does not drive out one that keeps knocking', () => {
    strangers.knock('real', 'semtech-udp');
    strangers.knock('real', 'semtech-udp');
    for (let made = 0; made < 100; made += 1) strangers.knock(`made up ${made}`, 'semtech-udp');
    assert.deepEqual(listed(), ['made up 99 1', 'made up 98 1', 'real 2']);
    assert.equal(leftOut, 0);
  });

  it('a flood that knocks twice with each id holds no place against one that keeps knocking', () => {
    const flood = () => ['one', 'two', 'three', 'one', 'two', 'three'].forEach((id) => strangers.knock(id, 'mqtt'));
    flood();
    strangers.knock('real', 'semtech-udp');
    assert.equal(leftOut, 1);
    for (let times = 0; times < 13; times += 1) {
      ms += 10_000;
      strangers.knock('real', 'semtech-udp');
    }
    assert.ok(listed().includes('real 1'));
    strangers.knock('real', 'semtech-udp');
    flood();
    assert.ok(listed().includes('real 2'));
  });

  it('without a place the next is only counted, until one was silent for two minutes', () => {
    for (const id of ['one', 'two', 'three', 'one', 'two', 'three']) strangers.knock(id, 'semtech-udp');
    strangers.knock('four', 'semtech-udp');
    assert.deepEqual([listed(), leftOut], [['three 2', 'two 2', 'one 2'], 1]);
    ms = 120_001;
    strangers.knock('four', 'semtech-udp');
    assert.deepEqual([listed(), leftOut], [['four 1', 'three 2', 'two 2'], 1]);
  });
});
