import type { OrganizationUser } from '@hilltop/contract';
import { MessageForm } from '../../components/form/message-form.tsx';
import { TextField } from '../../components/form/text-fields.tsx';
import { useMessageForm } from '../../components/form/use-message-form.ts';
import type { ResourceFormProps } from '../../components/resource/resource-form.ts';
import { RightsFields } from './rights-fields.tsx';

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
      <RightsFields form={form} organizationID={form.values.organizationID} />
    </MessageForm>
  );
}
