import type { OrganizationUser } from '@hilltop/contract';
import { Radio, Stack } from '@mantine/core';
import { query } from '../../api/queries.ts';
import { CheckboxField } from '../../components/form/fields.tsx';
import { FormSection } from '../../components/form/form-section.tsx';
import { MessageForm } from '../../components/form/message-form.tsx';
import { RecordListField } from '../../components/form/record-list-field.tsx';
import { TextField } from '../../components/form/text-fields.tsx';
import { useMessageForm } from '../../components/form/use-message-form.ts';
import type { ResourceFormProps } from '../../components/resource/resource-form.ts';

const flags = ['isAdmin', 'isDeviceAdmin', 'isGatewayAdmin'] as const;

export function OrganizationUserForm({ initial, isNew = false, ...rest }: ResourceFormProps<OrganizationUser>) {
  const form = useMessageForm('OrganizationUser', { values: initial });
  const { isReadOnly = false, isAdmin, isGatewayAdmin, organizationID } = form.values;
  const choose = (role: string) => {
    form.set('isReadOnly', role === 'readOnly');
    if (role === 'readOnly') for (const flag of flags) form.set(flag, false);
  };
  return (
    <MessageForm form={form} isNew={isNew} {...rest}>
      <TextField
        name="email"
        autoComplete="off"
        inputMode="email"
        {...(!isNew && { help: 'The e-mail address belongs to the user account and cannot be changed here.' })}
      />
      <FormSection
        title="Role"
        help="A user sees everything in the organization and can send downlinks. Roles permit more, a limit permits less."
      >
        <Radio.Group aria-label="Role" value={isReadOnly ? 'readOnly' : 'user'} onChange={choose}>
          <Stack gap="xs">
            <Radio value="user" label="User" />
            <Radio value="readOnly" label="Read-only" description="Sees everything, and sends and changes nothing." />
          </Stack>
        </Radio.Group>
        {!isReadOnly && (
          <>
            <CheckboxField name="isAdmin" />
            {!isAdmin && (
              <>
                <CheckboxField name="isDeviceAdmin" />
                <CheckboxField name="isGatewayAdmin" />
              </>
            )}
          </>
        )}
      </FormSection>
      {!isAdmin && !isGatewayAdmin && (
        <FormSection
          title="Limit"
          help="With a limit, the user sees and uses only these applications and their devices, and no gateways."
        >
          <RecordListField
            name="applicationIDs"
            noun="application"
            query={query('application', 'list', { organizationID, limit: 999, offset: 0 })}
          />
        </FormSection>
      )}
    </MessageForm>
  );
}
