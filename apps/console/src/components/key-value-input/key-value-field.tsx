import { useRef } from 'react';
import type { FieldName } from '../../api/facts.ts';
import { useField } from '../form/use-field.ts';
import { KeyValueInput } from './key-value-input.tsx';

interface KeyValueFieldProps {
  /** Path of the map in the form's message. */
  name: FieldName;
  /** The noun for one row: `tag`, `variable`. */
  noun: string;
  help?: string;
  readOnly?: boolean;
}

/** Tags or variables of a form. A missing or duplicate name blocks submitting. */
export function KeyValueField({ name, noun, help, readOnly = false }: KeyValueFieldProps) {
  const problem = useRef<string | null>(null);
  const field = useField<Record<string, string> | null>(name, { validate: () => problem.current });
  const description = help ?? field.description;
  return (
    <KeyValueInput
      noun={noun}
      value={field.value ?? {}}
      readOnly={readOnly}
      disabled={field.disabled}
      {...(description !== undefined && { description })}
      onChange={(value, found) => {
        problem.current = found;
        field.onChange(value);
      }}
    />
  );
}
