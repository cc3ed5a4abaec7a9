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
