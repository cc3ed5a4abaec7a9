import type { RadioPlan, RadioSettings } from '@hilltop/contract';
import { SimpleGrid, Switch } from '@mantine/core';
import { factsOf } from '../../api/facts.ts';
import { NumberField, SelectField } from '../../components/form/fields.tsx';
import { FormSection } from '../../components/form/form-section.tsx';
import { TextField } from '../../components/form/text-fields.tsx';
import { useField } from '../../components/form/use-field.ts';
import { useFormContext } from '../../components/form/use-message-form.ts';
import { dataRatesOf } from './radio-data-rates.ts';
import { type RadioField, sections } from './radio-layout.ts';

interface Props {
  plan: RadioPlan;
  /** The defaults, shown in empty boxes. */
  defaults: RadioSettings;
}

/** All settings except for the channels, each rendered by what the contract declares. */
export function RadioFields({ plan, defaults }: Props) {
  return sections
    .filter(({ when }) => !when || when(plan))
    .map(({ title, help, fields }) => (
      <FormSection key={title} title={title} {...(help !== undefined && { help })}>
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="lg" verticalSpacing="md">
          {fields.map((field) => (
            <Setting key={field.name} field={field} plan={plan} defaults={defaults} />
          ))}
        </SimpleGrid>
      </FormSection>
    ));
}

function Setting({ field: { name, dataRates }, plan, defaults }: { field: RadioField } & Props) {
  const { form } = useFormContext();
  const { kind, choices } = factsOf(form.message, name);
  const usual = defaults[name];
  if (name === 'rejoinRequest') return <Rejoin />;
  if (kind === 'bool') return <UsualSwitch name={name} usual={usual === true} />;
  const options = dataRates ? dataRatesOf(plan, dataRates) : choices;
  if (options) {
    const label = options.find(({ value }) => value === usual)?.label ?? '';
    return <SelectField name={name} options={options} placeholder={label} clearable />;
  }
  const placeholder = usual === undefined ? 'by the region' : String(usual as string | number);
  return kind === 'text' ? (
    <TextField name={name} placeholder={placeholder} />
  ) : (
    <NumberField name={name} placeholder={placeholder} />
  );
}

/** A value equal to the default is not sent. */
function UsualSwitch({ name, usual }: { name: RadioField['name']; usual: boolean }) {
  const field = useField<boolean | undefined>(name);
  return (
    <Switch
      id={field.id}
      label={field.label}
      description={field.description}
      error={field.error}
      disabled={field.disabled}
      checked={field.value ?? usual}
      onChange={(event) => {
        const { checked } = event.currentTarget;
        field.onChange(checked === usual ? undefined : checked);
      }}
    />
  );
}

function Rejoin() {
  const field = useField<RadioSettings['rejoinRequest']>('rejoinRequest');
  return (
    <>
      <Switch
        id={field.id}
        label={field.label}
        description={field.description}
        disabled={field.disabled}
        checked={field.value !== null}
        onChange={(event) => field.onChange(event.currentTarget.checked ? { maxTimeN: 0, maxCountN: 0 } : null)}
      />
      {field.value !== null && (
        <>
          <NumberField name="rejoinRequest.maxTimeN" required />
          <NumberField name="rejoinRequest.maxCountN" required />
        </>
      )}
    </>
  );
}
