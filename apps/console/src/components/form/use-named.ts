import type { FieldName } from '../../api/facts.ts';
import classes from './form.module.css';
import type { FieldRules } from './rules.ts';
import { useField } from './use-field.ts';

export interface Named extends FieldRules {
  /** Path of the field in the form's message. */
  name: FieldName;
  disabled?: boolean;
}

/** Separates the rules from the props of the input. */
export function useNamed<Value, Rest extends Named>({
  name,
  label,
  help,
  required,
  validate,
  trim,
  disabled,
  ...rest
}: Rest) {
  const field = useField<Value>(name, {
    ...(label !== undefined && { label }),
    ...(help !== undefined && { help }),
    ...(required !== undefined && { required }),
    ...(validate !== undefined && { validate }),
    ...(trim !== undefined && { trim }),
  });
  const shared = {
    id: field.id,
    className: classes.field ?? '',
    name,
    label: field.label,
    description: field.description,
    error: field.error,
    disabled: field.disabled || disabled === true,
  };
  const isRequired = field.required && disabled !== true;
  const labelled = { ...shared, withAsterisk: isRequired, 'aria-required': isRequired || undefined };
  return { field, rest, shared, labelled };
}
