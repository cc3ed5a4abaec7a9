import assert from 'node:assert/strict';
import { it } from 'node:test';
import { callerAddress } from './caller-address.ts';

const isProxy = (address: string) => address.startsWith('10.');

for (const [what, remoteAddress, headers, address, isSecure] of [
  ['nobody in between', '192.0.2.1', {}, '192.0.2.1', false],
  ['a stranger who says so', '192.0.2.1', { for: '198.51.100.7', proto: 'https' }, '192.0.2.1', false],
  ['a proxy', '10.0.0.1', { for: '198.51.100.7', proto: 'https' }, '198.51.100.7', true],
  ['a stranger before a proxy', '10.0.0.1', { for: '203.0.113.9, 198.51.100.7' }, '198.51.100.7', false],
  ['two proxies', '10.0.0.1', { for: '198.51.100.7, 10.0.0.2' }, '198.51.100.7', false],
  ['proxies only', '10.0.0.1', { for: '10.0.0.3, 10.0.0.2' }, '10.0.0.3', false],
  ['a proxy that says nothing', '10.0.0.1', {}, '10.0.0.1', false],
] as const)
  it(`the caller behind ${what}`, () => {
    const { for: by, proto } = headers as { for?: string; proto?: string };
    const sent = { ...(by && { 'x-forwarded-for': by }), ...(proto && { 'x-forwarded-proto': proto }) };
    assert.deepEqual(callerAddress({ remoteAddress }, sent, isProxy), { address, isSecure });
  });
