import type { Organization } from '@hilltop/contract';
import { NumberField, SwitchField } from '../../components/form/fields.tsx';
import { FormSection } from '../../components/form/form-section.tsx';
import { MessageForm } from '../../components/form/message-form.tsx';
import { TextField } from '../../components/form/text-fields.tsx';
import { useMessageForm } from '../../components/form/use-message-form.ts';
import { useSession } from '../../session/session.tsx';

interface Props {
  initial: Organization;
  submit: string;
  disabled?: boolean;
  onSubmit: (organization: Organization) => Promise<unknown>;
  onSaved: () => void;
}

/** Limits are shown to global administrators only: nobody else can change them. */
export function OrganizationForm({ initial, submit, disabled = false, onSubmit, onSaved }: Props) {
  const { user } = useSession();
  const form = useMessageForm('Organization', { values: initial });
  return (
    <MessageForm form={form} submit={submit} disabled={disabled} onSubmit={onSubmit} onSaved={onSaved}>
      <TextField name="name" />
      <TextField name="displayName" />
      {user.isAdmin && (
        <FormSection title="Gateways">
          <SwitchField name="canHaveGateways" />
          {form.values.canHaveGateways && <NumberField name="maxGatewayCount" required />}
        </FormSection>
      )}
      {user.isAdmin && (
        <FormSection title="Devices">
          <NumberField name="maxDeviceCount" required />
        </FormSection>
      )}
    </MessageForm>
  );
}
