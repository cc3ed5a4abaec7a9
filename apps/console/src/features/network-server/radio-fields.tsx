import type { RadioPlan, RadioSettings } from '@hilltop/contract';
import { Switch, Text } from '@mantine/core';
import { factsOf } from '../../api/facts.ts';
import { NumberField, SelectField } from '../../components/form/fields.tsx';
import { TextField } from '../../components/form/text-fields.tsx';
import { useFormContext } from '../../components/form/use-message-form.ts';
import { type Named, useNamed } from '../../components/form/use-named.ts';
import { MegahertzField } from './megahertz-field.tsx';
import { megahertz } from './radio-channels.ts';
import { dataRatesOf } from './radio-data-rates.ts';
import { type RadioField, sections } from './radio-layout.ts';

interface Props {
  plan: RadioPlan;
  /** The defaults, shown in empty boxes. */
  defaults: RadioSettings;
}

/** The sections of all settings except for the channels, each field rendered by what the contract declares. */
export const radioSections = (plan: RadioPlan, defaults: RadioSettings) =>
  sections
    .filter(({ when }) => !when || when(plan))
    .map(({ title, help = '', fields }, index) => ({
      value: title,
      label: title,
      content: (
        <>
          {(help !== '' || index === 0) && <Text c="dimmed">{`${help} ${index === 0 ? ofEmptyFields : ''}`}</Text>}
          {fields.map((field) => (
            <Setting key={field.name} field={field} plan={plan} defaults={defaults} />
          ))}
        </>
      ),
    }));

const ofEmptyFields = 'An empty field uses the default of the region or of Hilltop, shown in grey.';

function Setting({ field: { name, dataRates }, plan, defaults }: { field: RadioField } & Props) {
  const { form } = useFormContext();
  const { kind, choices, unit } = factsOf(form.message, name);
  const usual = defaults[name];
  if (name === 'rejoinRequest') return <Rejoin />;
  if (kind === 'bool') return <UsualSwitch name={name} usual={usual === true} />;
  const options = dataRates ? dataRatesOf(plan, dataRates) : choices;
  if (options) {
    const label = options.find(({ value }) => value === usual)?.label ?? '';
    return <SelectField name={name} options={options} placeholder={label} clearable />;
  }
  if (unit === 'Hz') {
    const frequency = Number(usual ?? 0);
    return <MegahertzField name={name} placeholder={frequency > 0 ? megahertz(frequency) : 'by the region'} />;
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
  const { field, shared } = useNamed<boolean | undefined, Named>({ name });
  return (
    <Switch
      {...shared}
      checked={field.value ?? usual}
      onChange={(event) => {
        const { checked } = event.currentTarget;
        field.onChange(checked === usual ? undefined : checked);
      }}
    />
  );
}

function Rejoin() {
  const { field, shared } = useNamed<RadioSettings['rejoinRequest'], Named>({ name: 'rejoinRequest' });
  return (
    <>
      <Switch
        {...shared}
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
