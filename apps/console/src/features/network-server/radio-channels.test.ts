import type { RadioPlan } from '@hilltop/contract';
import { describe, expect, it } from 'vitest';
import { channelsOf, megahertz, nextExtra, switched, withExtra, withoutExtra } from './radio-channels.ts';

const channel = (index: number) => ({
  index,
  frequency: 868_100_000 + index * 200_000,
  minDR: 0,
  maxDR: 5,
  bandwidth: 125,
});
const extra = (frequency: number) => ({ frequency, minDR: 0, maxDR: 5 });
const plan = {
  channels: [0, 1, 2].map(channel),
  recommendedChannels: [extra(867_100_000), extra(867_300_000)],
} as unknown as RadioPlan;
const all = { enabledChannels: [], extraChannels: [] };

describe('channels of a radio', () => {
  it('are all enabled while no list is stored', () => {
    expect(channelsOf(plan, all).map(({ isOn }) => isOn)).toEqual([true, true, true]);
  });

  it('list all others when one is disabled', () => {
    expect(switched(plan, all, [1], false).enabledChannels).toEqual([0, 2]);
    expect(switched(plan, { ...all, enabledChannels: [0, 2] }, [1], true).enabledChannels).toEqual([0, 1, 2]);
  });

  it('are enabled when added, and use the recommended frequencies of the region first', () => {
    const one = withExtra(plan, all, nextExtra(plan, all));
    expect(one).toEqual({ enabledChannels: [], extraChannels: [extra(867_100_000)] });
    const two = withExtra(plan, { ...one, enabledChannels: [0, 3] }, nextExtra(plan, one));
    expect(two).toEqual({ enabledChannels: [0, 3, 4], extraChannels: [extra(867_100_000), extra(867_300_000)] });
    expect(nextExtra(plan, two).frequency).toBe(0);
    expect(channelsOf(plan, two).map(({ index, isOn }) => [index, isOn])).toEqual([
      [0, true],
      [1, false],
      [2, false],
      [3, true],
      [4, true],
    ]);
  });

  it('keep their state when an earlier one is removed', () => {
    const two = { enabledChannels: [0, 1, 4], extraChannels: [extra(1), extra(2)] };
    expect(withoutExtra(plan, two, 0)).toEqual({ enabledChannels: [0, 1, 3], extraChannels: [extra(2)] });
    const rest = { enabledChannels: [0, 1, 2, 4], extraChannels: [extra(1), extra(2)] };
    expect(withoutExtra(plan, rest, 0)).toEqual({ enabledChannels: [], extraChannels: [extra(2)] });
  });

  it('are displayed in megahertz', () => {
    expect([868_100_000, 2_403_000_000, 903_000_000].map(megahertz)).toEqual(['868.1', '2403', '903']);
  });
});
