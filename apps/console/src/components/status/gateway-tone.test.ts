import { gatewayOnlineMs } from '@hilltop/contract';
import { describe, expect, it } from 'vitest';
import { gatewayTone } from './gateway-tone.ts';

describe('a gateway', () => {
  const nowMs = Date.UTC(2026, 10, 21, 12);
  it('is online for five minutes after its last message', () => {
    expect(gatewayTone('2026-11-21T11:55:00Z', nowMs)).toBe('active');
    expect(gatewayTone('2026-11-21T11:54:59Z', nowMs)).toBe('inactive');
    expect(gatewayTone(new Date(nowMs - gatewayOnlineMs - 1).toISOString(), nowMs)).toBe('inactive');
    expect(gatewayTone(new Date(nowMs - gatewayOnlineMs).toISOString(), nowMs)).toBe('active');
    expect(gatewayTone(null, nowMs)).toBe('never');
  });
});
