import { expect, it } from 'vitest';
import { rulesOf } from './contract-facts.ts';
import { factsOf } from './facts.ts';

it('finds the facts of nested fields and of list items', () => {
  expect(factsOf('Gateway', 'location.latitude').unit).toBe('°');
  expect(factsOf('Gateway', 'boards.0.fpgaID').kind).toBe('eui64');
});

it('returns nothing for a field that the message does not have', () => {
  expect(() => factsOf('ServiceProfile', 'devEUI')).toThrow('The contract has no field devEUI in ServiceProfile.');
  // @ts-expect-error -- the compiler rejects a field that no message has
  expect(() => factsOf('ServiceProfile', 'dataRateMin')).toThrow();
  // @ts-expect-error -- an unknown message
  expect(() => factsOf('ServiceProfil', 'name')).toThrow();
  // @ts-expect-error -- an unknown operation
  expect(() => rulesOf('serviceProfile.remove')).toThrow('The contract has no operation serviceProfile.remove.');
});
