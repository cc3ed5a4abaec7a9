import type { Device } from '@hilltop/contract';
import { query } from '../../api/queries.ts';
import { SwitchField } from '../../components/form/fields.tsx';
import { FormSections } from '../../components/form/form-sections.tsx';
import { MessageForm } from '../../components/form/message-form.tsx';
import { ResourceSelectField } from '../../components/form/resource-select-field.tsx';
import { TextAreaField } from '../../components/form/text-area-field.tsx';
import { TextField } from '../../components/form/text-fields.tsx';
import { useMessageForm } from '../../components/form/use-message-form.ts';
import { HexField } from '../../components/hex-input/hex-field.tsx';
import { KeyValueField } from '../../components/key-value-input/key-value-field.tsx';
import type { ResourceFormProps } from '../../components/resource/resource-form.ts';

export function DeviceForm({ initial, isNew = false, ...rest }: ResourceFormProps<Device>) {
  const form = useMessageForm('Device', { values: initial });
  const { applicationID } = initial;
  const general = (
    <>
      <TextField name="name" />
      <TextAreaField name="description" />
      {isNew && <HexField name="devEUI" bytes={8} random />}
      <ResourceSelectField
        name="deviceProfileID"
        query={query('deviceProfile', 'list', { applicationID, limit: 999, offset: 0 })}
      />
      <SwitchField name="skipFCntCheck" />
      <SwitchField name="isDisabled" />
    </>
  );
  return (
    <MessageForm form={form} isNew={isNew} {...rest}>
      <FormSections
        sections={[
          { value: 'general', label: 'General', content: general },
          { value: 'variables', label: 'Variables', content: <KeyValueField name="variables" noun="variable" /> },
          { value: 'tags', label: 'Tags', content: <KeyValueField name="tags" noun="tag" /> },
        ]}
      />
    </MessageForm>
  );
}
