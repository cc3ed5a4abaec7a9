import assert from 'node:assert/strict';
import { it } from 'node:test';
import { create, gw } from '@hilltop/protobuf';
import { withUplinkID } from './journal-copy.ts';

const zeros = (length: number) => new Uint8Array(length);
const frameWith = (uplinkID: Uint8Array) => create(gw.UplinkFrame, { rxInfo: { uplinkID } });

it('an uplink without an id gets a version 4 UUID', () => {
  const { rxInfo } = withUplinkID(zeros, frameWith(zeros(0)));
  assert.equal(rxInfo?.uplinkID.toHex(), '00000000000040008000000000000000');
});

it('an id of the gateway is unchanged', () => {
  const given = Uint8Array.from({ length: 16 }, (_, at) => at);
  assert.deepEqual(withUplinkID(zeros, frameWith(given)).rxInfo?.uplinkID, given);
});
