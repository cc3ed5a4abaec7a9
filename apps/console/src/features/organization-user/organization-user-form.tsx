import type { OrganizationUser } from '@hilltop/contract';
import { CheckboxField } from '../../components/form/fields.tsx';
import { FormSection } from '../../components/form/form-section.tsx';
import { MessageForm } from '../../components/form/message-form.tsx';
import { TextField } from '../../components/form/text-fields.tsx';
import { useMessageForm } from '../../components/form/use-message-form.ts';

interface Props {
  initial: OrganizationUser;
  isNew?: boolean;
  submit: string;
  onSubmit: (organizationUser: OrganizationUser) => Promise<unknown>;
  onSaved: () => void;
}

export function OrganizationUserForm({ initial, isNew = false, submit, onSubmit, onSaved }: Props) {
  const form = useMessageForm('OrganizationUser', { values: initial });
  return (
    <MessageForm form={form} submit={submit} onSubmit={onSubmit} onSaved={onSaved}>
      <TextField
        name="email"
        autoComplete="off"
        inputMode="email"
        disabled={!isNew}
        {...(!isNew && { help: 'The address belongs to the user, and is not changed here.' })}
      />
      <FormSection
        title="Rights"
        help="Without any of these, a user sees everything in the organization and may send and receive device payloads."
      >
        <CheckboxField name="isAdmin" />
        {!form.values.isAdmin && (
          <>
            <CheckboxField name="isDeviceAdmin" />
            <CheckboxField name="isGatewayAdmin" />
          </>
        )}
      </FormSection>
    </MessageForm>
  );
}
