import assert from 'node:assert/strict';
import { it } from 'node:test';
import { geohash } from './geohash.ts';

it('computes the geohashes of reference implementations', () => {
  assert.equal(geohash(52.1, 5.2), 'u178qkd82zcj');
  assert.equal(geohash(57.64911, 10.40744, 11), 'u4pruydqqvj');
  assert.equal(geohash(42.6, -5.6, 5), 'ezs42');
  assert.equal(geohash(-25.382708, -49.265506, 9), '6gkzwgjzn');
});
