import type { OrganizationUser } from '@hilltop/contract';
import { CheckboxField } from '../../components/form/fields.tsx';
import { FormSection } from '../../components/form/form-section.tsx';
import { MessageForm } from '../../components/form/message-form.tsx';
import { TextField } from '../../components/form/text-fields.tsx';
import { useMessageForm } from '../../components/form/use-message-form.ts';
import type { ResourceFormProps } from '../../components/resource/resource-form.ts';

export function OrganizationUserForm({ initial, isNew = false, ...rest }: ResourceFormProps<OrganizationUser>) {
  const form = useMessageForm('OrganizationUser', { values: initial });
  return (
    <MessageForm form={form} isNew={isNew} {...rest}>
      <TextField
        name="email"
        autoComplete="off"
        inputMode="email"
        {...(!isNew && { help: 'The e-mail address belongs to the user account and cannot be changed here.' })}
      />
      <FormSection
        title="Rights"
        help="Without any of these roles, a user can view everything in the organization and can send and receive device payloads."
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
