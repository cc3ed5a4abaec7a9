import { expect, it } from 'vitest';
import { formatSNR } from './radio.ts';

it('shows the SNR with one decimal, and zero without a sign', () => {
  expect([-1.6894, -0.05, -0.04, 0, 9.96].map(formatSNR)).toEqual(['-1.7', '-0.1', '0.0', '0.0', '10.0']);
});
