import type { User } from '@hilltop/contract';
import { NumberField, SwitchField } from '../../components/form/fields.tsx';
import { FormSection } from '../../components/form/form-section.tsx';
import { MessageForm } from '../../components/form/message-form.tsx';
import { TextAreaField } from '../../components/form/text-area-field.tsx';
import { PasswordField, TextField } from '../../components/form/text-fields.tsx';
import { useMessageForm } from '../../components/form/use-message-form.ts';
import type { ResourceFormProps } from '../../components/resource/resource-form.ts';

interface Values {
  user: User;
  password: string;
}

interface Props extends ResourceFormProps<User, Values> {
  /** Users cannot lock themselves out by mistake. */
  isOneself?: boolean;
}

/** A new user gets its first password here. */
export function UserForm({ initial, isNew = false, isOneself = false, ...rest }: Props) {
  const form = useMessageForm('CreateUserRequest', { values: { user: initial, password: '' } });
  const ofOneself = isOneself ? { disabled: true, help: 'Ask another administrator to change this for you.' } : {};
  return (
    <MessageForm form={form} isNew={isNew} {...rest}>
      <TextField name="user.email" autoComplete="off" inputMode="email" />
      <TextAreaField name="user.note" rows={4} />
      <NumberField name="user.sessionTTL" required />
      {isNew && <PasswordField name="password" autoComplete="new-password" />}
      <FormSection title="Permissions">
        <SwitchField name="user.isActive" {...ofOneself} />
        <SwitchField name="user.isAdmin" {...ofOneself} />
      </FormSection>
    </MessageForm>
  );
}
