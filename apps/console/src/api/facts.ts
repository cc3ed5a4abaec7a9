import { facts } from 'virtual:contract-facts';
import type { Operations } from '@hilltop/contract';

/** What the contract declares about a field, with what it asks of forms merged in. */
export interface FieldFacts {
  kind: string;
  label: string;
  help?: string;
  unit?: string;
  /** Chosen once, when the object is made. */
  fixed?: boolean;
  required?: boolean;
  requiredWhen?: { field: string; is: string | number | boolean };
  min?: number;
  max?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  /** The sentence shown when the pattern does not match. */
  message?: string;
  choices?: readonly { value: string | number; label: string }[];
}

type Declared = Omit<FieldFacts, 'label'> & { label?: string; form?: Partial<FieldFacts>; of?: string };

/** The facts of a field by its path in a message; `boards.0.fpgaID` is looked up in the message of the list's elements. */
export function factsOf(message: string, path: string): FieldFacts {
  const [name = '', ...rest] = path.split('.').filter((part) => !/^\d+$/.test(part));
  const declared: Declared | undefined = facts.messages[message]?.[name];
  if (declared?.of && rest.length > 0) return factsOf(declared.of, rest.join('.'));
  const { form, ...own } = declared ?? { kind: 'text' };
  return { label: name, ...own, ...form };
}

/** Who may call an operation, as the contract declares it. */
export const accessOf = (operation: string) => facts.operations[operation]?.access;

/** Everything one can call something on: `device`, `gatewayProfile` ... */
export const resources = [
  ...new Set(Object.keys(facts.operations).map((operation) => operation.split('.')[0] as keyof Operations)),
];
