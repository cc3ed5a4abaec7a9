import type { Application } from '@hilltop/contract';
import { Text } from '@mantine/core';
import { query } from '../../api/queries.ts';
import { SelectField } from '../../components/form/fields.tsx';
import { FormSection } from '../../components/form/form-section.tsx';
import { MessageForm } from '../../components/form/message-form.tsx';
import { ResourceSelectField } from '../../components/form/resource-select-field.tsx';
import { TextAreaField, TextField } from '../../components/form/text-fields.tsx';
import { useMessageForm } from '../../components/form/use-message-form.ts';

type Values = Partial<Application>;

interface Props {
  initial: Values;
  organizationID: string;
  isNew?: boolean;
  submit: string;
  onSubmit: (application: Values) => Promise<unknown>;
  onSaved: () => void;
}

export function ApplicationForm({ initial, organizationID, isNew = false, submit, onSubmit, onSaved }: Props) {
  const form = useMessageForm('Application', { values: initial });
  return (
    <MessageForm form={form} submit={submit} onSubmit={onSubmit} onSaved={onSaved}>
      <TextField name="name" />
      <TextField name="description" />
      {isNew && (
        <ResourceSelectField
          name="serviceProfileID"
          query={query('serviceProfile', 'list', { organizationID, limit: 999, offset: 0 })}
        />
      )}
      {initial.payloadCodec ? (
        <LegacyCodec isCustom={form.values.payloadCodec === 'CUSTOM_JS'} />
      ) : (
        <Text c="dimmed" size="sm">
          Payload codecs are set in the device-profile.
        </Text>
      )}
    </MessageForm>
  );
}

/** Applications of older installations may still hold a codec of their own. */
function LegacyCodec({ isCustom }: { isCustom: boolean }) {
  return (
    <FormSection title="Payload codec" help="Codecs have moved to the device-profile, whose codec comes first.">
      <SelectField name="payloadCodec" />
      {isCustom && (
        <>
          <TextAreaField name="payloadDecoderScript" rows={8} spellCheck={false} />
          <TextAreaField name="payloadEncoderScript" rows={8} spellCheck={false} />
        </>
      )}
    </FormSection>
  );
}
