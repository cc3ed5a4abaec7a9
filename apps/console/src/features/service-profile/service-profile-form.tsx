import type { ServiceProfile } from '@hilltop/contract';
import { query } from '../../api/queries.ts';
import { CheckboxField, NumberField, SwitchField } from '../../components/form/fields.tsx';
import { FormSection } from '../../components/form/form-section.tsx';
import { MessageForm } from '../../components/form/message-form.tsx';
import { ResourceSelectField } from '../../components/form/resource-select-field.tsx';
import { TextField } from '../../components/form/text-fields.tsx';
import { useMessageForm } from '../../components/form/use-message-form.ts';

type Values = Partial<ServiceProfile>;

interface Props {
  initial: Values;
  isNew?: boolean;
  submit: string;
  disabled?: boolean;
  onSubmit: (serviceProfile: Values) => Promise<unknown>;
  onSaved: () => void;
}

export function ServiceProfileForm({ initial, isNew = false, submit, disabled = false, onSubmit, onSaved }: Props) {
  const form = useMessageForm('ServiceProfile', { values: initial });
  const { devStatusReqFreq = 0, drMin = 0 } = form.values;
  return (
    <MessageForm form={form} submit={submit} disabled={disabled} onSubmit={onSubmit} onSaved={onSaved}>
      <TextField name="name" />
      {isNew && (
        <ResourceSelectField name="networkServerID" query={query('networkServer', 'list', { limit: 999, offset: 0 })} />
      )}
      <SwitchField name="addGWMetaData" />
      <SwitchField name="nwkGeoLoc" />
      <SwitchField name="gwsPrivate" />
      <FormSection title="Device status">
        <NumberField name="devStatusReqFreq" required />
        {devStatusReqFreq > 0 && (
          <>
            <CheckboxField name="reportDevStatusBattery" />
            <CheckboxField name="reportDevStatusMargin" />
          </>
        )}
      </FormSection>
      <FormSection title="Data-rates">
        <NumberField name="drMin" />
        <NumberField
          name="drMax"
          validate={(max: number) => (max < drMin ? 'The maximum must not be below the minimum.' : null)}
        />
      </FormSection>
    </MessageForm>
  );
}
