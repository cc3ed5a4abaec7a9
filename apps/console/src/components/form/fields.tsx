import {
  Checkbox,
  NumberInput,
  PasswordInput,
  Select,
  Switch,
  Textarea,
  type TextareaProps,
  TextInput,
  type TextInputProps,
} from '@mantine/core';
import type { FieldRules } from './rules.ts';
import { useField } from './use-field.ts';

interface Named extends FieldRules {
  /** Path of the field in the form's message. */
  name: string;
  disabled?: boolean;
}

/** Takes the rules out of the props, so that what is left belongs to the input itself. */
function useNamed<Value, Rest extends Named>({ name, label, help, required, validate, disabled, ...rest }: Rest) {
  const field = useField<Value>(name, {
    ...(label !== undefined && { label }),
    ...(help !== undefined && { help }),
    ...(required !== undefined && { required }),
    ...(validate !== undefined && { validate }),
  });
  const shared = {
    id: field.id,
    name,
    label: field.label,
    description: field.description,
    error: field.error,
    disabled: field.disabled || disabled === true,
  };
  return { field, rest, shared, labelled: { ...shared, withAsterisk: field.required } };
}

export function TextField(
  props: Named &
    Pick<TextInputProps, 'type' | 'placeholder' | 'autoComplete' | 'inputMode' | 'autoFocus' | 'rightSection'>,
) {
  const { field, rest, labelled } = useNamed<string | null, typeof props>(props);
  return (
    <TextInput
      {...labelled}
      {...rest}
      value={field.value ?? ''}
      onChange={(event) => field.onChange(event.currentTarget.value)}
    />
  );
}

export function PasswordField(props: Named & Pick<TextInputProps, 'autoComplete' | 'autoFocus'>) {
  const { field, rest, labelled } = useNamed<string | null, typeof props>(props);
  return (
    <PasswordInput
      {...labelled}
      {...rest}
      value={field.value ?? ''}
      onChange={(event) => field.onChange(event.currentTarget.value)}
    />
  );
}

export function TextAreaField(props: Named & Pick<TextareaProps, 'rows' | 'placeholder' | 'spellCheck' | 'styles'>) {
  const { field, rest, labelled } = useNamed<string | null, typeof props>(props);
  return (
    <Textarea
      rows={4}
      {...labelled}
      {...rest}
      value={field.value ?? ''}
      onChange={(event) => field.onChange(event.currentTarget.value)}
    />
  );
}

/** A whole number unless `decimals` says otherwise. An emptied box is "not given", never a silent zero. */
export function NumberField(props: Named & { unit?: string; decimals?: number; placeholder?: string }) {
  const { field, rest, labelled } = useNamed<number | '', typeof props>(props);
  const { unit = field.unit, decimals = 0, ...input } = rest;
  return (
    <NumberInput
      {...labelled}
      {...input}
      allowDecimal={decimals > 0}
      decimalScale={decimals}
      rightSection={unit && <span aria-hidden>{unit}</span>}
      rightSectionWidth={unit ? unit.length * 8 + 16 : undefined}
      value={field.value ?? ''}
      onChange={(value) => field.onChange(value === '' ? '' : Number(value))}
    />
  );
}

interface Option {
  value: string | number;
  label: string;
}

/** Offers the contract's choices unless other `options` are given. The value keeps the type of its option. */
export function SelectField(
  props: Named & { options?: readonly Option[]; placeholder?: string; searchable?: boolean; clearable?: boolean },
) {
  const { field, rest, labelled } = useNamed<string | number, typeof props>(props);
  const { options = field.choices, ...select } = rest;
  return (
    <Select
      {...labelled}
      {...select}
      data={options.map(({ value, label }) => ({ value: String(value), label }))}
      allowDeselect={false}
      value={options.some(({ value }) => value === field.value) ? String(field.value) : null}
      onChange={(chosen) => field.onChange(options.find(({ value }) => String(value) === chosen)?.value ?? '')}
    />
  );
}

export function SwitchField(props: Named) {
  const { field, shared } = useNamed<boolean, typeof props>(props);
  return <Switch {...shared} checked={field.value} onChange={(event) => field.onChange(event.currentTarget.checked)} />;
}

export function CheckboxField(props: Named) {
  const { field, shared } = useNamed<boolean, typeof props>(props);
  return (
    <Checkbox {...shared} checked={field.value} onChange={(event) => field.onChange(event.currentTarget.checked)} />
  );
}
