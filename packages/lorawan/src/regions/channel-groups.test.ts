import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { channelGroups } from './channel-groups.ts';
import { region } from './registry.ts';

describe('sub-bands', () => {
  it('of US915 and AU915 are eight narrow channels and the wide one above them', () => {
    for (const name of ['US915', 'AU915']) {
      const groups = channelGroups(region(name));
      assert.equal(groups.length, 8);
      assert.deepEqual(groups[1], { number: 2, channels: [8, 9, 10, 11, 12, 13, 14, 15, 65] });
      assert.deepEqual(groups.flatMap(({ channels }) => channels).length, 72);
    }
  });

  it('of CN470 are twelve times eight channels', () => {
    const groups = channelGroups(region('CN470'));
    assert.deepEqual([groups.length, groups.at(-1)?.channels.at(-1)], [12, 95]);
  });

  it('are empty where the network defines channels', () => {
    assert.deepEqual(channelGroups(region('EU868')), []);
  });
});
