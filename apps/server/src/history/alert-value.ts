import type { AlertValue } from '@hilltop/contract';

/** Whether a value begins an alert, ends one, or does neither: it is between the threshold and the way back. */
export type ValueSide = 'wrong' | 'between' | 'right';

/** Compares a value with a rule. */
export function sideOf({ comparison, threshold, upperThreshold, hysteresis }: AlertValue, value: number): ValueSide {
  const above = (limit: number): ValueSide =>
    value > limit ? 'wrong' : value > limit - hysteresis ? 'between' : 'right';
  const below = (limit: number): ValueSide =>
    value < limit ? 'wrong' : value < limit + hysteresis ? 'between' : 'right';
  if (comparison === 'ABOVE') return above(threshold);
  if (comparison === 'BELOW') return below(threshold);
  if (comparison === 'EQUALS') return value === threshold ? 'wrong' : 'right';
  const sides = [below(threshold), above(upperThreshold)];
  return sides.find((side) => side === 'wrong') ?? sides.find((side) => side === 'between') ?? 'right';
}
