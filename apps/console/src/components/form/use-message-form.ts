import { createContext, use, useMemo, useState } from 'react';
import { factsOf } from '../../api/facts.ts';
import { getIn, setIn } from './path.ts';
import { type FieldRules, problemOf } from './rules.ts';

/** A mounted field: what it checks, and the tab it stands in. */
interface Registered {
  rules: FieldRules;
  tab: string | undefined;
}

type Problems = Record<string, string>;

export interface MessageFormState<Values> {
  /** Name of the contract message whose facts label and check the fields. */
  message: string;
  values: Values;
  errors: Problems;
  dirty: boolean;
  set(path: string, value: unknown): void;
  /** The mounted fields by path, in the order of the page. */
  fields: Map<string, Registered>;
  /** Checks every mounted field; false (and the problems shown, the first one's tab opened) when one is wrong. */
  check(): boolean;
  /** Shows problems found elsewhere, for instance by the server. */
  refuse(problems: Problems): void;
  /** The last refusal: the tab that holds the first problem. A new object each time. */
  refused: { tab: string | undefined } | null;
}

/**
 * The state of a form over one message of the contract. `values` is read once, when the form opens, so that what a
 * person typed is never replaced by a refetch; a page that shows another object gives its form another `key`.
 */
export function useMessageForm<Values extends object>(
  message: string,
  options: { values: Values },
): MessageFormState<Values> {
  const [initial] = useState(options.values);
  const [values, setValues] = useState(initial);
  const [errors, setErrors] = useState<Problems>({});
  const [refused, setRefused] = useState<{ tab: string | undefined } | null>(null);
  const [fields] = useState(() => new Map<string, Registered>());

  function refuse(problems: Problems) {
    setErrors(problems);
    setRefused({ tab: [...fields].find(([path]) => path in problems)?.[1].tab });
  }

  return {
    message,
    values,
    errors,
    refused,
    fields,
    refuse,
    dirty: useMemo(() => JSON.stringify(values) !== JSON.stringify(initial), [values, initial]),
    set(path, value) {
      setValues((current) => setIn(current, path, value));
      setErrors(({ [path]: _answered, ...rest }) => rest);
    },
    check() {
      const problems: Problems = {};
      for (const [path, { rules }] of fields) {
        const problem = problemOf(getIn(values, path), values, factsOf(message, path), rules);
        if (problem) problems[path] = problem;
      }
      if (Object.keys(problems).length === 0) return true;
      refuse(problems);
      return false;
    },
  };
}

export interface FormContextValue {
  form: MessageFormState<object>;
  disabled: boolean;
}

export const FormContext = createContext<FormContextValue | null>(null);
/** The form tab the fields below stand in. */
export const TabContext = createContext<string | undefined>(undefined);

export function useFormContext(): FormContextValue {
  const context = use(FormContext);
  if (!context) throw new Error('A form field stands outside a MessageForm.');
  return context;
}
