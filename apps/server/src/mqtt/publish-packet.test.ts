import assert from 'node:assert/strict';
import { it } from 'node:test';
import { partsOf, publishPacket, sizeOf } from './publish-packet.ts';

const hex = (size: number, messageID?: number, version: 4 | 5 = 4) => {
  const packet = publishPacket('a/b', Buffer.alloc(size, 0x5a));
  const bytes = Buffer.concat(partsOf(packet, { version }, messageID));
  assert.equal(sizeOf(packet, { version }, messageID === undefined ? 0 : 1), bytes.length);
  return bytes.toString('hex');
};

it('writes a message for each quality of service', () => {
  assert.equal(hex(2), '30070003612f625a5a');
  assert.equal(hex(2, 0x0102), '32090003612f6201025a5a');
  assert.equal(hex(2, undefined, 5), '30080003612f62005a5a');
  assert.equal(hex(2, 0x0102, 5), '320a0003612f620102005a5a');
});

it('announces long messages with as many bytes as they need', () => {
  const announced = (size: number) => /^30(.*)0003612f625a/.exec(hex(size))?.[1];
  assert.equal(announced(127 - 5), '7f');
  assert.equal(announced(128 - 5), '8001');
  assert.equal(announced(16_383 - 5), 'ff7f');
  assert.equal(announced(16_384 - 5), '808001');
});
