import { Checkbox, Select, Switch, TextInput } from '@mantine/core';
import { useState } from 'react';
import classes from './form.module.css';
import { numberProblem, parseNumber } from './number.ts';
import { type Named, useNamed } from './use-named.ts';

/**
 * A whole number unless `decimals` says otherwise. A text that is not a number is an error: an empty box means "not
 * given", never zero, and 868.1 never becomes 8681.
 */
export function NumberField(props: Named & { unit?: string; decimals?: number; placeholder?: string }) {
  const { decimals = 0, validate } = props;
  const { field, rest, labelled } = useNamed<number | string, typeof props>({
    ...props,
    validate: (value: number | string, values: never) =>
      numberProblem(value, decimals) ?? validate?.(value as never, values) ?? null,
  });
  const [typed, setTyped] = useState('');
  const value = field.value ?? '';
  const { unit = field.unit, decimals: _decimals, ...input } = rest;
  return (
    <TextInput
      {...labelled}
      {...input}
      autoComplete="off"
      inputMode={decimals > 0 ? 'text' : 'numeric'}
      rightSection={unit && <span aria-hidden>{unit}</span>}
      rightSectionProps={{ className: classes.unit ?? '' }}
      rightSectionWidth={unit ? `calc(${unit.length}ch + 26px)` : undefined}
      value={parseNumber(typed) === value ? typed : String(value)}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        field.onChange(parseNumber(event.currentTarget.value));
      }}
    />
  );
}

interface Option {
  value: string | number;
  label: string;
}

/** Offers the contract's choices unless other `options` are given. The value has the type of its option. */
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
  return (
    <Switch
      {...shared}
      aria-label={shared.label}
      checked={field.value}
      onChange={(event) => field.onChange(event.currentTarget.checked)}
    />
  );
}

export function CheckboxField(props: Named) {
  const { field, shared } = useNamed<boolean, typeof props>(props);
  return (
    <Checkbox
      {...shared}
      aria-label={shared.label}
      checked={field.value}
      onChange={(event) => field.onChange(event.currentTarget.checked)}
    />
  );
}
