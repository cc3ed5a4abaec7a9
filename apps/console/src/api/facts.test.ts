import { expect, it } from 'vitest';
import { accessOf } from './contract-facts.ts';
import { factsOf } from './facts.ts';

it('finds the facts of a field inside of others, and of the items of a list', () => {
  expect(factsOf('Gateway', 'location.latitude').unit).toBe('°');
  expect(factsOf('Gateway', 'boards.0.fpgaID').kind).toBe('eui64');
});

it('knows no field that the message does not have', () => {
  expect(() => factsOf('ServiceProfile', 'devEUI')).toThrow('The contract has no field devEUI in ServiceProfile.');
  // @ts-expect-error -- and one that no message has is named by the compiler
  expect(() => factsOf('ServiceProfile', 'dataRateMin')).toThrow();
  // @ts-expect-error -- as is a message
  expect(() => factsOf('ServiceProfil', 'name')).toThrow();
  // @ts-expect-error -- and an operation
  expect(() => accessOf('serviceProfile.remove')).toThrow('The contract has no operation serviceProfile.remove.');
});
