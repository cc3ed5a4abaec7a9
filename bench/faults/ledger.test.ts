import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLedger } from './ledger.ts';

const devEUI = '0102030405060708';
const up = (data: string, fCnt: number, streamID = `1-${fCnt}`) =>
  JSON.stringify({ result: { type: 'up', streamID, payloadJSON: JSON.stringify({ data, fCnt, devAddr: 'AQ==' }) } });

/** Three uplinks that were acknowledged at 1000 ms, each before the next one was sent. */
function startLedger() {
  const time = { ms: 1000 };
  const ledger = createLedger(() => time.ms);
  for (const mark of ['a', 'b', 'c']) {
    ledger.uplinkSent(mark, devEUI);
    ledger.uplinkAcknowledged(mark);
  }
  return { ledger, time };
}

describe('ledger of a fault run', () => {
  it('finds nothing when all uplinks are shown once and in order', () => {
    const { ledger } = startLedger();
    for (const [fCnt, mark] of ['a', 'b', 'c'].entries()) ledger.shown(devEUI, up(mark, fCnt));
    ledger.showAgain();
    for (const [fCnt, mark] of ['a', 'b', 'c'].entries()) ledger.shown(devEUI, up(mark, fCnt));
    ledger.downlink('s/1', Uint8Array.of(1));
    ledger.downlink('s/1', Uint8Array.of(1));
    const { lost, doubled, outOfOrder, forgotten, counterReuse } = ledger.verdict();
    assert.deepEqual(
      { lost, doubled, outOfOrder, forgotten, counterReuse },
      {
        lost: 0,
        doubled: 0,
        outOfOrder: 0,
        forgotten: 0,
        counterReuse: 0,
      },
    );
  });

  it('finds lost, duplicated, out-of-order and forgotten uplinks', () => {
    const { ledger } = startLedger();
    ledger.shown(devEUI, up('b', 1, '1-1'));
    ledger.shown(devEUI, up('a', 0, '1-2'));
    ledger.shown(devEUI, up('a', 0, '9-9'));
    ledger.showAgain();
    ledger.shown(devEUI, up('a', 0, '1-2'));
    const { acknowledged, lost, doubled, outOfOrder, forgotten } = ledger.verdict();
    assert.deepEqual(
      { acknowledged, lost, doubled, outOfOrder, forgotten },
      {
        acknowledged: 3,
        lost: 1,
        doubled: 1,
        outOfOrder: 1,
        forgotten: 2,
      },
    );
  });

  it('distinguishes a wrong order in the history, a wrong order in a stream, and belated uplinks', () => {
    const time = { ms: 1000 };
    const ledger = createLedger(() => time.ms);
    const say = (mark: string) => {
      time.ms += 100;
      ledger.uplinkSent(mark, mark);
    };
    say('a');
    say('b');
    time.ms += 100;
    ledger.uplinkAcknowledged('a');
    ledger.uplinkAcknowledged('b');
    say('c');
    ledger.uplinkAcknowledged('c');
    say('d');
    ledger.uplinkAcknowledged('d');
    ledger.shown(devEUI, up('b', 1, '1-1'));
    ledger.shown(devEUI, up('a', 0, '1-2'));
    ledger.shown(devEUI, up('d', 3, '1-4'));
    ledger.shown(devEUI, up('c', 2, '1-3'));
    const { outOfOrder, shownOutOfOrder, belated } = ledger.verdict();
    assert.deepEqual({ outOfOrder, shownOutOfOrder, belated }, { outOfOrder: 0, shownOutOfOrder: 1, belated: 1 });
    const swapped = createLedger(() => time.ms);
    for (const mark of ['c', 'd']) {
      swapped.uplinkSent(mark, mark);
      swapped.uplinkAcknowledged(mark);
    }
    swapped.shown(devEUI, up('c', 2, '1-4'));
    swapped.shown(devEUI, up('d', 3, '1-3'));
    const verdict = swapped.verdict();
    assert.deepEqual([verdict.outOfOrder, verdict.shownOutOfOrder, verdict.belated], [1, 0, 0]);
    assert.deepEqual(verdict.outOfOrderUplinks, ['c, d']);
  });

  it('counts lateness from the call of countLateness', () => {
    const { ledger, time } = startLedger();
    time.ms = 60_000;
    ledger.countLateness();
    time.ms = 61_500;
    ledger.shown(devEUI, up('a', 0));
    assert.equal(ledger.verdict().lateSeconds, 1.5);
  });

  it('finds a counter that was used for two frames, and a lost queue item', () => {
    const { ledger } = startLedger();
    ledger.downlink('s/1', Uint8Array.of(1));
    ledger.downlink('s/1', Uint8Array.of(2));
    ledger.downlink('s/2', Uint8Array.of(2));
    for (const mark of ['sent', 'gone']) ledger.queued(mark, devEUI);
    ledger.queued('flushed', 'other');
    ledger.itemFound('sent');
    ledger.flushed('other');
    const { counters, counterReuse, items, itemsLost } = ledger.verdict();
    assert.deepEqual(
      { counters, counterReuse, items, itemsLost },
      {
        counters: 2,
        counterReuse: 1,
        items: 3,
        itemsLost: 1,
      },
    );
  });
});
