import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type KnownMacCommand, macCommand } from '@hilltop/lorawan';
import type { QueueItem } from '../state/state.ts';
import { chooseContent } from './content.ts';

const item = (id: string, size: number): QueueItem => ({
  id,
  devEUI: '0102030405060708',
  fCnt: 0,
  fPort: 1,
  frmPayload: new Uint8Array(size),
  confirmed: false,
  sessionID: '',
  isForNextSession: false,
  hasLeft: false,
  isPending: false,
  attempts: 0,
  timeoutAt: null,
  notBefore: null,
  pingSlotAt: null,
});
const check = macCommand('LinkCheckAns', { margin: 1, gwCnt: 1 });
const status: KnownMacCommand[] = [macCommand('DevStatusReq')];
const channels: KnownMacCommand[] = [3, 4, 5].map((chIndex) =>
  macCommand('NewChannelReq', { chIndex, freq: 867_100_000, minDR: 0, maxDR: 5 }),
);

const cases = [
  {
    title: 'nothing',
    limit: 51,
    answers: [],
    requests: [],
    items: [],
    expect: { fOpts: 0, fPort0: 0, item: null, sent: 0, fPending: false },
  },
  {
    title: 'one item',
    limit: 51,
    answers: [],
    requests: [],
    items: [item('a', 51)],
    expect: { fOpts: 0, fPort0: 0, item: 'a', sent: 0, fPending: false },
  },
  {
    title: 'the first of two items',
    limit: 51,
    answers: [],
    requests: [],
    items: [item('a', 1), item('b', 1)],
    expect: { fOpts: 0, fPort0: 0, item: 'a', sent: 0, fPending: true },
  },
  {
    title: 'commands and an item together',
    limit: 51,
    answers: [check],
    requests: [status],
    items: [item('a', 47)],
    expect: { fOpts: 4, fPort0: 0, item: 'a', sent: 1, fPending: false },
  },
  {
    title: 'commands first, an item that does not fit beside them later',
    limit: 51,
    answers: [check],
    requests: [status],
    items: [item('a', 48)],
    expect: { fOpts: 4, fPort0: 0, item: null, sent: 1, fPending: true },
  },
  {
    title: 'more than 15 bytes of commands on FPort 0, the item waits',
    limit: 51,
    answers: [],
    requests: [channels],
    items: [item('a', 1)],
    expect: { fOpts: 0, fPort0: 18, item: null, sent: 1, fPending: true },
  },
  {
    title: 'a block goes whole or not at all',
    limit: 11,
    answers: [check],
    requests: [channels, status],
    items: [],
    expect: { fOpts: 4, fPort0: 0, item: null, sent: 1, fPending: true },
  },
  {
    title: 'an item that has waited, and the commands that fit beside it',
    limit: 51,
    answers: [check],
    requests: [status],
    items: [item('a', 48)],
    isItemFirst: true,
    expect: { fOpts: 3, fPort0: 0, item: 'a', sent: 0, fPending: true },
  },
  {
    title: 'an item that has waited, before more than 15 bytes of commands',
    limit: 222,
    answers: [check],
    requests: [channels, status],
    items: [item('a', 1), item('b', 1)],
    isItemFirst: true,
    expect: { fOpts: 4, fPort0: 0, item: 'a', sent: 1, fPending: true },
  },
];

describe('content of a downlink', () => {
  for (const { title, limit, expect, isItemFirst = false, ...toSay } of cases) {
    it(title, () => {
      const content = chooseContent(limit, { ...toSay, isItemFirst });
      assert.deepEqual(
        {
          fOpts: content.fOpts.length,
          fPort0: content.fPort0?.length ?? 0,
          item: content.item?.id ?? null,
          sent: content.sent.length,
          fPending: content.fPending,
        },
        expect,
      );
    });
  }
});
