import type { IntegrationKindName } from '@hilltop/contract';
import { Button, Collapse, Select, Stack } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { useId, useState } from 'react';
import { factsOf } from '../../api/facts.ts';
import { NumberField, SelectField, SwitchField } from '../../components/form/fields.tsx';
import { SecretField } from '../../components/form/secret-field.tsx';
import { TextField } from '../../components/form/text-fields.tsx';
import { useField } from '../../components/form/use-field.ts';
import { useFormContext } from '../../components/form/use-message-form.ts';
import { Headers } from './headers.tsx';
import { layouts, type ShownField, type ShownSection } from './integration-layout.ts';
import type { Config } from './kinds.ts';

interface Props {
  kind: IntegrationKindName;
  values: Config;
  stored: Config;
}

/** The fields of a kind, each rendered by what the contract declares. */
export function IntegrationFields({ kind, ...shown }: Props) {
  return layouts[kind].map((row) =>
    'fields' in row ? (
      <Folded key={row.title} section={row} {...shown} />
    ) : (
      <Shown key={row.name} field={row} {...shown} />
    ),
  );
}

type Values = Omit<Props, 'kind'>;

function Folded({ section: { title, fields }, ...shown }: { section: ShownSection } & Values) {
  const { form } = useFormContext();
  const id = useId();
  const [isChosen, setChosen] = useState(false);
  // Open the section when it contains an error.
  const isOpen = isChosen || fields.some(({ name }) => name in form.errors);
  const Chevron = isOpen ? IconChevronDown : IconChevronRight;
  return (
    <div>
      <Button
        variant="subtle"
        ml={-8}
        leftSection={<Chevron size={16} />}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setChosen(!isOpen)}
      >
        {title}
      </Button>
      <Collapse expanded={isOpen} id={id}>
        <Stack gap="md" pt="md">
          {fields.map((field) => (
            <Shown key={field.name} field={field} {...shown} />
          ))}
        </Stack>
      </Collapse>
    </div>
  );
}

function Shown({ field, values, stored }: { field: ShownField } & Values) {
  const { form } = useFormContext();
  const { name, when, rows, own, required } = field;
  if (when && !when(values, stored)) return null;
  const { kind, secret, choices } = factsOf(form.message, name);
  if (kind === 'list') return <Headers />;
  if (own !== undefined) return <ChoiceOrOwn name={name} own={own} />;
  if (secret) return <SecretField name={name} {...(rows !== undefined && { rows })} />;
  if (choices) return <SelectField name={name} />;
  if (kind === 'bool') return <SwitchField name={name} />;
  if (kind !== 'text') return <NumberField name={name} />;
  return <TextField name={name} {...(required?.(stored) && { required: true })} />;
}

/** One of the contract's choices, or another value in a box of its own. */
function ChoiceOrOwn({ name, own }: { name: ShownField['name']; own: string }) {
  const field = useField<string>(name);
  const isKnown = field.choices.some(({ value }) => value === field.value);
  const [isOwn, setOwn] = useState(!isKnown && field.value !== '');
  return (
    <>
      <Select
        label={field.label}
        withAsterisk
        data={[
          ...field.choices.map(({ value, label }) => ({ value: String(value), label })),
          { value: '', label: own },
        ]}
        allowDeselect={false}
        disabled={field.disabled}
        error={isOwn ? undefined : field.error}
        value={isOwn ? '' : isKnown ? field.value : null}
        onChange={(chosen) => {
          setOwn(chosen === '');
          field.onChange(chosen ?? '');
        }}
      />
      {isOwn && <TextField name={name} label={`${own} URL`} />}
    </>
  );
}
