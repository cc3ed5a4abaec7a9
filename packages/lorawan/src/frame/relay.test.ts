import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FrameError } from '../errors.ts';
import { decodeForwardedUplink, encodeForwardedUplink } from './relay.ts';

// The bytes that other implementations of TS011 write.
const bytes = Uint8Array.of(213, 191, 1, 40, 118, 132, 224, 1, 2, 3);
const uplink = {
  dataRate: 5,
  snr: 9,
  rssi: -110,
  worChannel: 1,
  frequency: 868_100_000,
  phyPayload: Uint8Array.of(224, 1, 2, 3),
};

describe('an uplink that a relay forwards', () => {
  it('is read and written', () => {
    assert.deepEqual(decodeForwardedUplink(bytes), uplink);
    assert.deepEqual(encodeForwardedUplink(uplink), bytes);
  });

  it('rounds levels to the range of the field', () => {
    const loud = decodeForwardedUplink(encodeForwardedUplink({ ...uplink, rssi: 3, snr: 40 }));
    const faint = decodeForwardedUplink(encodeForwardedUplink({ ...uplink, rssi: -160, snr: -40 }));
    assert.deepEqual([loud.rssi, loud.snr, faint.rssi, faint.snr], [-15, 11, -142, -20]);
  });

  it('is invalid without a frame', () => {
    for (let length = 0; length <= 6; length += 1)
      assert.throws(() => decodeForwardedUplink(bytes.subarray(0, length)), FrameError);
  });
});
