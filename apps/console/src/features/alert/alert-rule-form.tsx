import type { AlertRule } from '@hilltop/contract';
import { conditionOf } from '@hilltop/contract/conditions';
import { Text, Textarea } from '@mantine/core';
import { query } from '../../api/queries.ts';
import { NumberField, SelectField, SwitchField } from '../../components/form/fields.tsx';
import { FormSection } from '../../components/form/form-section.tsx';
import { MessageForm } from '../../components/form/message-form.tsx';
import { RecordListField } from '../../components/form/record-list-field.tsx';
import { SecretField } from '../../components/form/secret-field.tsx';
import { TextField } from '../../components/form/text-fields.tsx';
import { useMessageForm } from '../../components/form/use-message-form.ts';
import { type Named, useNamed } from '../../components/form/use-named.ts';
import { KeyValueField } from '../../components/key-value-input/key-value-field.tsx';
import type { ResourceFormProps } from '../../components/resource/resource-form.ts';
import { conditionLabel, watchable } from './alert-words.ts';
import { type RuleValues, toRule } from './rule-values.ts';

const conditionOptions = [...watchable, 'VALUE' as const].map((value) => ({ value, label: conditionLabel(value) }));

const comparisonOptions = [
  { value: 'ABOVE', label: 'above' },
  { value: 'BELOW', label: 'below' },
  { value: 'EQUALS', label: 'equal to' },
  { value: 'OUTSIDE', label: 'outside the range' },
];

interface Props extends Omit<ResourceFormProps<RuleValues, AlertRule>, 'stayButton'> {
  /** Whether the server sends mail; undefined until it is known. */
  hasMail: boolean | undefined;
}

/** The form of an alert rule: only the fields that its condition uses. */
export function AlertRuleForm({ initial, onSubmit, hasMail, ...rest }: Props) {
  const form = useMessageForm('AlertRule', { values: initial });
  const { condition, organizationID } = form.values;
  const subject = condition === 'VALUE' ? 'DEVICE' : conditionOf(condition).subject;
  return (
    <MessageForm form={form} {...rest} onSubmit={(values) => onSubmit(toRule(values, subject))}>
      <FormSection title="What is watched">
        <TextField name="name" />
        <SwitchField name="isEnabled" />
        <SelectField
          name="condition"
          options={conditionOptions}
          help={condition === 'VALUE' ? 'A field of the uplinks of each device.' : conditionOf(condition).sentence}
        />
        {condition === 'VALUE' && <ValueFields value={form.values.value} />}
        {!(condition === 'VALUE' && form.values.value?.uplinks !== 0) && <NumberField name="forMinutes" required />}
      </FormSection>
      {subject !== 'API_KEY' && (
        <FormSection title="Where" help="Without a choice, the whole organization.">
          {subject !== 'GATEWAY' && (
            <RecordListField
              name="applicationIDs"
              noun="application"
              query={query('application', 'list', { organizationID, limit: 999, offset: 0 })}
            />
          )}
          {subject === 'DEVICE' && (
            <RecordListField
              name="deviceProfileIDs"
              noun="device-profile"
              query={query('deviceProfile', 'list', { organizationID, limit: 999, offset: 0 })}
            />
          )}
          {subject !== 'INTEGRATION' && <KeyValueField name="tags" noun="tag" />}
        </FormSection>
      )}
      <FormSection title="Who is notified">
        {hasMail === false ? (
          <Text c="dimmed">Mail is not set up on this server (HILLTOP_SMTP_URL).</Text>
        ) : (
          <AddressesField />
        )}
        <TextField name="channels.1.url" label="Webhook URL" type="url" placeholder="https://" required={false} />
        <SecretField name="channels.1.secret" help="whsec_ and base64, as in Standard Webhooks. Empty: not signed." />
        {form.values.channels.length > 2 && (
          <Text c="dimmed">{`${form.values.channels.length - 2} more receivers were set by the API and stay.`}</Text>
        )}
        <SelectField name="repeatHours" help="The message of an alert that still fires." />
      </FormSection>
    </MessageForm>
  );
}

const beginWords = {
  ABOVE: 'above it',
  BELOW: 'below it',
  EQUALS: 'equal to it',
  OUTSIDE: 'below it, or above the end of the range',
} as const;

function ValueFields({ value }: { value: AlertRule['value'] }) {
  const isRange = value?.comparison === 'OUTSIDE';
  return (
    <>
      <TextField name="value.field" placeholder="temperature" />
      <SelectField name="value.comparison" options={comparisonOptions} />
      <NumberField
        name="value.threshold"
        decimals={6}
        required
        help={`An alert begins when the value is ${beginWords[value?.comparison ?? 'ABOVE']}.`}
        {...(isRange && { label: 'From' })}
      />
      {isRange && (
        <NumberField
          name="value.upperThreshold"
          label="To"
          help="The end of the range."
          decimals={6}
          required
          validate={(upper: number) =>
            upper <= value.threshold ? 'The end of the range must be above its beginning.' : null
          }
        />
      )}
      {value?.comparison !== 'EQUALS' && (
        <NumberField
          name="value.hysteresis"
          decimals={6}
          required
          help="The alert ends when the value has returned by this much, so that a value near the threshold is one alert."
        />
      )}
      <NumberField name="value.uplinks" required />
    </>
  );
}

/** One address on each line. */
function AddressesField() {
  const { field, labelled } = useNamed<string[], Named>({ name: 'channels.0.addresses' });
  return (
    <Textarea
      {...labelled}
      autosize
      minRows={2}
      placeholder="One address on each line"
      value={field.value.join('\n')}
      onChange={(event) => field.onChange(linesOf(event.currentTarget.value))}
      onBlur={() => field.onChange(field.value.map((one) => one.trim()).filter((one) => one !== ''))}
    />
  );
}

/** While typing, an empty line is kept, so that the next address can begin. */
const linesOf = (text: string) => (text === '' ? [] : text.split(/[\n,;]/));
