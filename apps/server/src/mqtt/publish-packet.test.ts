import assert from 'node:assert/strict';
import { it } from 'node:test';
import { partsOf, publishPacket } from './publish-packet.ts';

const hex = (size: number, messageID?: number) =>
  Buffer.concat(partsOf(publishPacket('a/b', Buffer.alloc(size, 0x5a)), messageID)).toString('hex');

it('writes a message for each quality of service', () => {
  assert.equal(hex(2), '30070003612f625a5a');
  assert.equal(hex(2, 0x0102), '32090003612f6201025a5a');
});

it('announces long messages with as many bytes as they need', () => {
  const announced = (size: number) => /^30(.*)0003612f625a/.exec(hex(size))?.[1];
  assert.equal(announced(127 - 5), '7f');
  assert.equal(announced(128 - 5), '8001');
  assert.equal(announced(16_383 - 5), 'ff7f');
  assert.equal(announced(16_384 - 5), '808001');
});
