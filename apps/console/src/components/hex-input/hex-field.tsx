import type { FieldName } from '../../api/facts.ts';
import classes from '../form/form.module.css';
import type { FieldRules } from '../form/rules.ts';
import { useField } from '../form/use-field.ts';
import { HexInput, type HexInputProps } from './hex-input.tsx';
import { hexProblem } from './hex-value.ts';

interface HexFieldProps extends FieldRules, Pick<HexInputProps, 'bytes' | 'random' | 'secret' | 'readOnly'> {
  /** Path of the field in the form's message. */
  name: FieldName;
}

/** A hex input of a form. A value that is neither empty nor complete is a field error. */
export function HexField({ name, bytes, random, secret, readOnly, ...rules }: HexFieldProps) {
  const field = useField<string | null>(name, {
    ...rules,
    validate: (value: string, values: never) =>
      hexProblem(value, bytes) ?? rules.validate?.(value as never, values) ?? null,
  });
  return (
    <HexInput
      {...field}
      {...(random !== undefined && { random })}
      {...(secret !== undefined && { secret })}
      {...(readOnly !== undefined && { readOnly })}
      className={classes.field ?? ''}
      name={name}
      bytes={bytes}
      value={field.value ?? ''}
    />
  );
}
