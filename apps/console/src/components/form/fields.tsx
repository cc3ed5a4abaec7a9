import { Checkbox, NumberInput, Select, Switch } from '@mantine/core';
import { type Named, useNamed } from './use-named.ts';

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
