import { use, useId, useLayoutEffect, useRef } from 'react';
import { type FieldName, factsOf } from '../../api/facts.ts';
import { getIn } from './path.ts';
import { type FieldRules, isRequired } from './rules.ts';
import { TabContext, useFormContext } from './use-message-form.ts';

export interface FieldProps<Value> {
  id: string;
  label: string;
  description: string | undefined;
  unit: string | undefined;
  /** The contract's choices, if it has any. */
  choices: readonly { value: string | number; label: string }[];
  required: boolean;
  error: string | undefined;
  disabled: boolean;
  value: Value;
  onChange: (value: Value) => void;
}

/**
 * Connects an input to its form: label, help and rules come from the contract's facts at `path` (`location.latitude`);
 * props of the form override them. The field is validated while it is mounted.
 */
export function useField<Value>(path: FieldName, rules: FieldRules = {}): FieldProps<Value> {
  const { form, disabled, readOnly, isNew } = useFormContext();
  const tab = use(TabContext);
  const id = useId();
  const facts = factsOf(form.message, path);
  const isFixed = facts.fixed === true && !isNew;
  const latest = useRef(rules);
  useLayoutEffect(() => {
    latest.current = rules;
  });

  const { fields } = form;
  useLayoutEffect(() => {
    const registered = {
      tab,
      get rules() {
        return latest.current;
      },
    };
    fields.set(path, registered);
    return () => {
      if (fields.get(path) === registered) fields.delete(path);
    };
  }, [fields, path, tab]);

  return {
    id,
    label: rules.label ?? facts.label,
    description: rules.help ?? facts.help,
    required: !readOnly && !isFixed && isRequired(form.values, facts, rules),
    unit: facts.unit,
    choices: facts.choices ?? [],
    error: form.errors[path],
    disabled: disabled || isFixed,
    value: getIn(form.values, path) as Value,
    onChange: (value) => form.set(path, value),
  };
}
