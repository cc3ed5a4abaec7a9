import assert from 'node:assert/strict';
import { it } from 'node:test';
import { region } from '@hilltop/lorawan';
import type { Network } from '../network/network.ts';
import { defaultSettings } from '../settings/settings.ts';
import type { MulticastGroupRecord } from '../state/records.ts';
import { createFakeClock } from '../testing/fake-clock.ts';
import { classCSendTimes } from './send-times.ts';
import { staggerMs } from './stagger.ts';

const clock = createFakeClock();
const now = clock.now().getTime();
const network = { clock, region: region('EU868'), settings: defaultSettings } as unknown as Network;
const group = { dr: 5 } as MulticastGroupRecord;
const given = { groupID: 'group', frmPayload: new Uint8Array(10) };
const senders = ['first', 'second', 'third'].map((gatewayID) => ({ gatewayID, board: 0, antenna: 0 }));

it('class C sends a downlink through one gateway after the other, free gateways first', () => {
  const remainingMs = (id: string) => (id === 'first' ? 10_000 : 0);
  const times = classCSendTimes(network, group, { given, senders, queue: [], cooldowns: { remainingMs } });
  const staggered = staggerMs(network, group, given);
  assert.deepEqual(
    times.map(({ sender, at }) => [sender.gatewayID, at - now]),
    [
      ['second', 0],
      ['third', staggered],
      ['first', 10_000],
    ],
  );
});
