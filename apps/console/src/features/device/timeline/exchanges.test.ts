import { type HistoryEvent, historyKinds } from '@hilltop/contract';
import { expect, it } from 'vitest';
import { exchangesOf, itemOf, withChanges } from './exchanges.ts';

const startMs = Date.parse('2026-11-21T10:00:00Z');

function historyEvent(nth: number, kind: string, atMs: number, payload: object): HistoryEvent {
  const publishedAt = new Date(startMs + atMs).toISOString();
  return {
    streamID: `${startMs + atMs}-${nth}`,
    kind,
    publishedAt,
    payloadJSON: JSON.stringify(payload),
    noteJSON: '',
  };
}

/** Newest first, from rows in the order of time. */
const grouped = (rows: readonly (readonly [kind: string, atMs: number, payload: object])[]) => {
  const events = rows.map(([kind, atMs, payload], nth) => itemOf(historyEvent(nth + 1, kind, atMs, payload)));
  return exchangesOf(events.toReversed()).map(({ items }) => items.map(({ kind }) => kind));
};

it('groups an uplink with what it reported, the downlink that answered it and its acknowledgement', () => {
  expect(
    grouped([
      ['frame', 0, { direction: 'up', mType: 'JoinRequest' }],
      ['frame', 5000, { direction: 'down', mType: 'JoinAccept' }],
      ['join', 20_000, {}],
      ['status', 20_001, {}],
      ['up', 20_002, { fCnt: 0 }],
      ['location', 20_003, {}],
      ['downlink', 20_100, { step: 'SENDING', id: 'a', fCnt: 7 }],
      ['error', 20_900, { type: 'DOWNLINK_GATEWAY' }],
      ['txack', 21_000, { fCnt: 7 }],
      ['error', 29_999, { type: 'UPLINK_CODEC' }],
      ['up', 30_000, { fCnt: 1 }],
      ['ack', 30_001, { fCnt: 7, acknowledged: true }],
      ['downlink', 30_002, { step: 'ACKNOWLEDGED', id: 'a', fCnt: 7 }],
    ]),
  ).toEqual([
    ['up', 'error'],
    ['join', 'up', 'status', 'location', 'downlink', 'error', 'txack', 'ack', 'downlink'],
    ['frame', 'frame'],
  ]);
});

it('shows the queueing of a downlink with the exchange in which it left, or with its end', () => {
  expect(
    grouped([
      ['downlink', 0, { step: 'QUEUED', id: 'a' }],
      ['downlink', 1000, { step: 'QUEUED', id: 'b' }],
      ['up', 60_000, { fCnt: 1 }],
      ['downlink', 60_100, { step: 'SENDING', id: 'a', fCnt: 3 }],
      ['downlink', 60_200, { step: 'SENT', id: 'a', fCnt: 3 }],
      ['downlink', 90_000, { step: 'CANCELED', id: 'b' }],
    ]),
  ).toEqual([
    ['downlink', 'downlink'],
    ['up', 'downlink', 'downlink', 'downlink'],
  ]);
});

it('leaves alone what belongs to no uplink', () => {
  expect(
    grouped([
      ['status', 0, {}],
      ['up', 60_000, { fCnt: 1 }],
      ['downlink', 70_000, { step: 'QUEUED', id: 'a', fCnt: 3 }],
      ['downlink', 90_000, { step: 'SENDING', id: 'a', fCnt: 3 }],
      ['downlink', 91_000, { step: 'SENT', id: 'a', fCnt: 3 }],
      ['dropped', 95_000, { reason: 'wrong-mic' }],
    ]),
  ).toEqual([['dropped'], ['downlink', 'downlink', 'downlink'], ['up'], ['status']]);
});

it('shows every row of random histories exactly once, in exchanges with one uplink at most', () => {
  let state = 11;
  const random = (below: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
  const steps = ['QUEUED', 'SENDING', 'SENT', 'GATEWAY_REFUSED', 'ACKNOWLEDGED', 'EXPIRED'];
  for (let run = 0; run < 200; run++) {
    let atMs = 0;
    const items = Array.from({ length: 60 }, (_, nth) => {
      atMs += random(3) === 0 ? random(20_000) : random(1500);
      const kind = historyKinds[random(historyKinds.length)] ?? 'up';
      const direction = random(2) === 0 ? 'up' : 'down';
      return itemOf(
        historyEvent(nth + 1, kind, atMs, {
          ...{ fCnt: random(4), step: steps[random(steps.length)], direction },
          ...(random(2) === 0 && { id: `d${random(3)}` }),
        }),
      );
    }).toReversed();
    const exchanges = exchangesOf(items);
    const shown = exchanges.flatMap((exchange) => exchange.items.map(({ streamID }) => streamID));
    expect(shown.toSorted()).toEqual(items.map(({ streamID }) => streamID).toSorted());
    expect(new Set(exchanges.map(({ key }) => key)).size).toBe(exchanges.length);
    for (const exchange of exchanges) {
      const heard = exchange.items.filter(
        ({ kind, payload }) => kind === 'up' || (kind === 'frame' && payload.direction === 'up'),
      );
      expect(heard.length).toBeLessThanOrEqual(1);
    }
    const times = exchanges.map((exchange) => exchange.atMs);
    expect(times).toEqual(times.toSorted((a, b) => b - a));
  }
});

it('has changes of the device between the exchanges, each on its own', () => {
  const [later, earlier] = [2, 1].map((nth) => itemOf(historyEvent(nth, 'up', nth * 60_000, { fCnt: nth })));
  const change = itemOf(historyEvent(3, 'change', 90_000, { operation: 'device.update' }));
  const exchanges = withChanges(exchangesOf([later!, earlier!]), [change]);
  expect(exchanges.map(({ items }) => items.map(({ kind }) => kind))).toEqual([['up'], ['change'], ['up']]);
});
