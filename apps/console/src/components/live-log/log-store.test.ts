import { describe, expect, it } from 'vitest';
import { orderOfInstant, orderOfStreamID } from './log-order.ts';
import { LogStore } from './log-store.ts';

interface Item {
  streamID: string;
  text?: string;
}

function build(cap = 1000, matches?: (item: Item) => boolean) {
  const frames: (() => void)[] = [];
  const store = new LogStore<Item>({
    caps: { live: cap, extended: 2 * cap },
    orderOf: (item) => orderOfStreamID(item.streamID),
    identityOf: (item) => item.streamID + (item.text ?? ''),
    matches,
    schedule: (work) => frames.push(work),
  });
  const frame = () => frames.splice(0).forEach((work) => work());
  const shown = () => store.view().entries.map((entry) => entry.item.streamID);
  return { store, frame, shown, frames };
}

describe('the live log', () => {
  it('shows the newest on top, once per frame', () => {
    const { store, frame, shown, frames } = build();
    store.add({ streamID: '5-0' });
    store.add({ streamID: '6-0' });
    expect(shown()).toEqual([]);
    expect(frames).toHaveLength(1);
    frame();
    expect(shown()).toEqual(['6-0', '5-0']);
  });

  it('orders stream ids as two numbers', () => {
    const { store, frame, shown } = build();
    for (const streamID of ['100-9', '100-10', '101-0', '100-11']) store.add({ streamID });
    frame();
    expect(shown()).toEqual(['101-0', '100-10', '100-9']);
  });

  it('ignores the tail that a reconnect repeats and takes the items that were missed', () => {
    const { store, frame, shown } = build();
    for (const streamID of ['1-0', '2-0', '3-0']) store.add({ streamID });
    for (const streamID of ['1-0', '2-0', '3-0', '4-0']) store.add({ streamID });
    frame();
    expect(shown()).toEqual(['4-0', '3-0', '2-0', '1-0']);
  });

  it('completes items that it shows, and adds none', () => {
    const store = new LogStore<Item>({
      caps: { live: 9, extended: 9 },
      orderOf: (item) => orderOfStreamID(item.streamID),
      identityOf: ({ streamID }) => streamID,
      schedule: (work) => work(),
    });
    store.add({ streamID: '2-0' });
    store.add({ streamID: '3-0' });
    const keys = store.view().entries.map(({ key }) => key);
    store.complete([{ streamID: '4-0' }, { streamID: '3-0', text: 'noted' }, { streamID: '1-0' }]);
    const { entries } = store.view();
    expect(entries.map(({ item }) => item)).toEqual([{ streamID: '3-0', text: 'noted' }, { streamID: '2-0' }]);
    expect(entries.map(({ key }) => key)).toEqual(keys);
  });

  it('keeps two different items of the same instant', () => {
    const { store, frame, shown } = build();
    for (const text of ['a', 'b', 'a']) store.add({ streamID: '1-0', text });
    frame();
    expect(shown()).toHaveLength(2);
  });

  it('drops and counts items while paused, and does not restore them on a reconnect', () => {
    const { store, frame, shown } = build();
    store.add({ streamID: '1-0' });
    store.pause();
    store.add({ streamID: '2-0' });
    store.add({ streamID: '3-0' });
    frame();
    expect(store.view()).toMatchObject({ isPaused: true, missed: 2 });
    store.resume();
    for (const streamID of ['1-0', '2-0', '3-0', '4-0']) store.add({ streamID });
    frame();
    expect(shown()).toEqual(['4-0', '1-0']);
    expect(store.view().missed).toBe(0);
  });

  it('shows items that arrived before the pause even when no animation frame came in between', () => {
    const { store, shown } = build();
    store.add({ streamID: '1-0' });
    store.pause();
    expect(shown()).toEqual(['1-0']);
  });

  it('keeps the newest items up to its cap', () => {
    const { store, frame, shown } = build(3);
    for (let index = 0; index < 50; index++) store.add({ streamID: `${index}-0` });
    frame();
    expect(shown()).toEqual(['49-0', '48-0', '47-0']);
  });

  it('merges stored items into their positions, each once', () => {
    const { store, frame, shown } = build();
    for (const streamID of ['3-0', '7-0', '9-0']) store.add({ streamID });
    frame();
    const [kept] = store.view().entries;
    store.merge(['9-0', '8-0', '7-0', '5-0', '3-0', '1-0'].map((streamID) => ({ streamID })));
    expect(shown()).toEqual(['9-0', '8-0', '7-0', '5-0', '3-0', '1-0']);
    expect(store.view().entries[0]?.key).toBe(kept?.key);
    store.add({ streamID: '8-0' });
    store.add({ streamID: '10-0' });
    frame();
    expect(shown()[0]).toBe('10-0');
    expect(shown()).toHaveLength(7);
  });

  it('merges items of one instant in any order, and keeps what only the stream has', () => {
    const store = new LogStore<Item>({
      caps: { live: 9, extended: 9 },
      orderOf: (item) => orderOfStreamID(item.streamID),
      identityOf: ({ text = '' }) => text.slice(0, 1),
      completed: (shown, { streamID }) => ({ ...shown, streamID }),
      schedule: (work) => work(),
    });
    store.add({ streamID: '1-0', text: 'a live' });
    store.add({ streamID: '1-0', text: 'b live' });
    store.merge(['c', 'a', 'b'].map((text) => ({ streamID: '1-0', text })));
    const texts = store.view().entries.map(({ item }) => item.text);
    expect(texts).toHaveLength(3);
    expect(new Set(texts)).toEqual(new Set(['a live', 'b live', 'c']));
  });

  it('has more room once older items are loaded, and says when it drops some', () => {
    const { store, frame, shown } = build(2);
    for (const streamID of ['7-0', '8-0', '9-0']) store.add({ streamID });
    frame();
    expect([shown(), store.view().isTrimmed]).toEqual([['9-0', '8-0'], true]);
    store.merge([{ streamID: '7-0' }, { streamID: '6-0' }], true);
    expect([shown(), store.view().isTrimmed, store.isFull()]).toEqual([['9-0', '8-0', '7-0', '6-0'], false, true]);
    store.add({ streamID: '10-0' });
    frame();
    expect([shown(), store.view().isTrimmed]).toEqual([['10-0', '9-0', '8-0', '7-0'], true]);
  });

  it('takes only live items that match, and counts only those while paused', () => {
    const { store, frame, shown } = build(1000, ({ text }) => text === 'up');
    store.add({ streamID: '1-0', text: 'up' });
    store.add({ streamID: '2-0', text: 'join' });
    store.pause();
    store.add({ streamID: '3-0', text: 'join' });
    store.add({ streamID: '4-0', text: 'up' });
    frame();
    expect([shown(), store.view().missed, store.newest()?.streamID]).toEqual([['1-0'], 1, '4-0']);
  });

  it('stays empty after a clear when the old tail arrives again', () => {
    const { store, frame, shown } = build();
    store.add({ streamID: '1-0' });
    frame();
    store.clear();
    store.add({ streamID: '1-0' });
    frame();
    expect(shown()).toEqual([]);
  });
});

describe('instants', () => {
  it('are ordered below the millisecond', () => {
    expect(orderOfInstant('2026-11-21T10:15:30.123456Z')).toEqual([Date.UTC(2026, 10, 21, 10, 15, 30, 123), 456000]);
    expect(orderOfInstant('2026-11-21T10:15:30Z')).toEqual([Date.UTC(2026, 10, 21, 10, 15, 30), 0]);
  });
});
