import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type KnownMacCommand, macCommand } from '@hilltop/lorawan';
import type { QueueItem } from '../state/state.ts';
import { planDownlink } from './plan.ts';

const item = (id: string, size: number) => ({ id, frmPayload: new Uint8Array(size) }) as QueueItem;
const check = macCommand('LinkCheckAns', { margin: 1, gwCnt: 1 });
const channels: KnownMacCommand[] = [3, 4, 5].map((chIndex) =>
  macCommand('NewChannelReq', { chIndex, freq: 867_100_000, minDR: 0, maxDR: 5 }),
);

/** `sends`: per window its limit, the item in it and the bytes of commands. */
const cases = [
  { title: 'nothing to say', limits: [222, 51], sends: [] },
  { title: 'an acknowledgement alone', limits: [222, 51], isAwaited: true, sends: ['222: 0', '51: 0'] },
  { title: 'the item in both windows', limits: [222, 51], items: [item('a', 51)], sends: ['222: a 0', '51: a 0'] },
  { title: 'a second window too small', limits: [222, 51], items: [item('a', 52)], sends: ['222: a 0'] },
  {
    title: 'what the device waits for in a second window too small',
    limits: [222, 51],
    items: [item('a', 52)],
    answers: [check],
    isAwaited: true,
    sends: ['222: a 3', '51: 3 pending'],
  },
  { title: 'a first window too small', limits: [11, 53], items: [item('a', 20)], sends: ['53: a 0'] },
  {
    title: 'the item in a later window, where commands leave no room for it',
    limits: [11, 30],
    requests: [channels],
    items: [item('a', 20)],
    sends: ['30: 18 pending'],
  },
  {
    title: 'items that no window has room for',
    limits: [11, 53],
    items: [item('a', 54), item('b', 200), item('c', 12)],
    sends: ['53: c 0'],
    tooLarge: ['a', 'b'],
  },
  { title: 'only items without room', limits: [11], items: [item('a', 12)], sends: [], tooLarge: ['a'] },
];

describe('plan of a downlink', () => {
  for (const { title, limits, sends, tooLarge = [], isAwaited = false, items = [], answers = [], ...rest } of cases) {
    it(title, () => {
      const toSay = { items, answers, requests: rest.requests ?? [], isItemFirst: false };
      const plan = planDownlink(
        limits.map((limit) => ({ limit })),
        toSay,
        isAwaited,
      );
      const brief = plan.sends.map(({ window, content }) => {
        const { fOpts, fPort0 } = content;
        const words = [content.item?.id, (fPort0 ?? fOpts).length, content.fPending && 'pending'];
        return `${window.limit}: ${words.filter((word) => word !== undefined && word !== false).join(' ')}`;
      });
      assert.deepEqual(brief, sends);
      assert.deepEqual(
        plan.tooLarge.map(({ id }) => id),
        tooLarge,
      );
    });
  }
});
