import { facts } from 'virtual:contract-facts';
import type { Operations } from '@hilltop/contract';
import { addMessages, type OperationName } from './facts.ts';

addMessages(facts.messages);

/** Who may call an operation and what it does, as the contract declares it. */
export function rulesOf(operation: OperationName) {
  const declared = facts.operations[operation];
  if (!declared) throw new Error(`The contract has no operation ${operation}.`);
  return { access: declared.access, effect: declared.effect ?? 'read' };
}

/** The names of all resources that have operations: `device`, `gatewayProfile` ... */
export const resources = [
  ...new Set(Object.keys(facts.operations).map((operation) => operation.split('.')[0] as keyof Operations)),
];

/** The names of all operations that change something. */
export const changingOperations = Object.entries(facts.operations).flatMap(([name, { effect = 'read' }]) =>
  effect === 'change' ? [name] : [],
);
