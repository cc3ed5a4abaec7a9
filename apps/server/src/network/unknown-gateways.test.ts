import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { createUnknownGateways, type UnknownGateways } from './unknown-gateways.ts';

const hourMs = 3_600_000;

describe('unknown gateways', () => {
  let ms: number;
  let leftOut: number;
  let unknown: UnknownGateways;
  const listed = () => unknown.list().map(({ id, times }) => `${id} ${times}`);
  beforeEach(() => {
    [ms, leftOut] = [0, 0];
    unknown = createUnknownGateways({ now: () => new Date(ms), onLeftOut: () => (leftOut += 1), most: 3 });
  });

  it('are listed, the latest first', () => {
    unknown.recordUnregistered('one', { way: 'semtech-udp' });
    ms = 1000;
    unknown.recordUnregistered('other', { way: 'mqtt' });
    unknown.recordUnregistered('one', { way: 'semtech-udp' });
    assert.deepEqual(listed(), ['one 2', 'other 1']);
    const [one] = unknown.list();
    assert.deepEqual([one?.link, one?.firstAt.getTime(), one?.lastAt.getTime()], ['semtech-udp', 0, 1000]);
  });

  it('are removed after an hour of silence', () => {
    unknown.recordUnregistered('one', { way: 'semtech-udp' });
    ms = hourMs + 1;
    assert.deepEqual(listed(), []);
  });

  it('that send repeatedly are not displaced by a flood of forged ids', () => {
    unknown.recordUnregistered('real', { way: 'semtech-udp' });
    unknown.recordUnregistered('real', { way: 'semtech-udp' });
    for (let made = 0; made < 100; made += 1) unknown.recordUnregistered(`made up ${made}`, { way: 'semtech-udp' });
    assert.deepEqual(listed(), ['made up 99 1', 'made up 98 1', 'real 2']);
    assert.equal(leftOut, 0);
  });

  it('that send repeatedly are not displaced by forged ids that send twice', () => {
    const flood = () =>
      ['one', 'two', 'three', 'one', 'two', 'three'].forEach((id) => unknown.recordUnregistered(id, { way: 'mqtt' }));
    flood();
    unknown.recordUnregistered('real', { way: 'semtech-udp' });
    assert.equal(leftOut, 1);
    for (let times = 0; times < 13; times += 1) {
      ms += 10_000;
      unknown.recordUnregistered('real', { way: 'semtech-udp' });
    }
    assert.ok(listed().includes('real 1'));
    unknown.recordUnregistered('real', { way: 'semtech-udp' });
    flood();
    assert.ok(listed().includes('real 2'));
  });

  it('that find no place are only counted, until a listed one was silent for two minutes', () => {
    for (const id of ['one', 'two', 'three', 'one', 'two', 'three'])
      unknown.recordUnregistered(id, { way: 'semtech-udp' });
    unknown.recordUnregistered('four', { way: 'semtech-udp' });
    assert.deepEqual([listed(), leftOut], [['three 2', 'two 2', 'one 2'], 1]);
    ms = 120_001;
    unknown.recordUnregistered('four', { way: 'semtech-udp' });
    assert.deepEqual([listed(), leftOut], [['four 1', 'three 2', 'two 2'], 1]);
  });

  describe('from one address', () => {
    const sendFrom = (ids: readonly string[], address: string) => {
      for (const id of ids) unknown.recordUnregistered(id, { way: 'semtech-udp', address });
    };
    const eight = Array.from({ length: 8 }, (_, index) => `made up ${index}`);
    beforeEach(() => {
      unknown = createUnknownGateways({ now: () => new Date(ms), onLeftOut: () => (leftOut += 1), most: 8 });
    });

    it('fill at most a quarter of the list, however often they send', () => {
      sendFrom([...eight, ...eight], '192.0.2.1');
      sendFrom(eight.slice(6), '192.0.2.1');
      assert.deepEqual(listed(), ['made up 7 2', 'made up 6 2']);
      sendFrom(eight.slice(0, 2), '192.0.2.1');
      assert.deepEqual([listed(), leftOut], [['made up 7 2', 'made up 6 2'], 2]);
      sendFrom(['real'], '192.0.2.2');
      assert.ok(listed().includes('real 1'));
    });

    it('do not displace others', () => {
      sendFrom(['once'], '192.0.2.2');
      sendFrom([...eight, ...eight], '::ffff:192.0.2.1');
      assert.deepEqual(listed(), ['made up 7 1', 'made up 6 1', 'once 1']);
    });

    it('are counted by network where clients have many addresses', () => {
      for (const id of eight) sendFrom([id, id], `2001:db8::${id.slice(-1)}`);
      assert.deepEqual([listed(), leftOut], [['made up 1 2', 'made up 0 2'], 12]);
      sendFrom(['real'], '2001:db8:0:1::1');
      assert.ok(listed().includes('real 1'));
    });

    it('get another place when one of them was silent for two minutes', () => {
      sendFrom(['one', 'one', 'two', 'two', 'three'], '192.0.2.1');
      ms = 120_001;
      sendFrom(['two', 'three'], '192.0.2.1');
      assert.deepEqual([listed(), leftOut], [['three 1', 'two 3'], 1]);
    });
  });
});
