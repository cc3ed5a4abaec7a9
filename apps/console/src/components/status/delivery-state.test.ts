import { expect, it } from 'vitest';
import { behind, stateWord } from './delivery-state.tsx';

const now = Date.parse('2026-11-22T10:00:00Z');
for (const [events, at, text] of [
  [1, null, '1 event behind'],
  [40, '2026-11-22T09:59:48Z', '12 s behind, 40 events'],
  [1200, '2026-11-22T09:00:00Z', '1 h behind, 1,200 events'],
  [2, '2026-11-22T10:00:05Z', '1 s behind, 2 events'],
] as const)
  it(`says ${text}`, () => expect(behind(events, at, now)).toBe(text));

it('calls a healthy integration that has sent nothing "not used yet"', () => {
  const at = '2026-11-22T09:59:48Z';
  expect(stateWord({ state: 'HEALTHY', lastSuccessAt: null, lacksAddress: false }).word).toBe('Not used yet');
  expect(stateWord({ state: 'HEALTHY', lastSuccessAt: at, lacksAddress: false }).word).toBe('Healthy');
  expect(stateWord({ state: 'HEALTHY', lastSuccessAt: at, lacksAddress: true }).word).toBe('Not configured');
  expect(stateWord({ state: 'DEGRADED', lastSuccessAt: null, lacksAddress: false }).word).toBe('Degraded');
});
